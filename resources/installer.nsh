; "Open with Lathe" on folders.
!macro customInstall
  WriteRegStr HKCU "Software\Classes\Directory\shell\Lathe" "" "Open with Lathe"
  WriteRegStr HKCU "Software\Classes\Directory\shell\Lathe" "Icon" "$INSTDIR\${APP_EXECUTABLE_FILENAME},0"
  WriteRegStr HKCU "Software\Classes\Directory\shell\Lathe\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%V"'
!macroend

; Links of the form lathe:// are registered by the app itself, so they go with it.
!macro customUnInstall
  DeleteRegKey HKCU "Software\Classes\lathe"
  DeleteRegKey HKCU "Software\Classes\Directory\shell\Lathe"
!macroend
