!include WinMessages.nsh

; "Open with Lathe" on folders, and the command line in PATH.
!macro customInstall
  WriteRegStr HKCU "Software\Classes\Directory\shell\Lathe" "" "Open with Lathe"
  WriteRegStr HKCU "Software\Classes\Directory\shell\Lathe" "Icon" "$INSTDIR\${APP_EXECUTABLE_FILENAME},0"
  WriteRegStr HKCU "Software\Classes\Directory\shell\Lathe\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%V"'
  !insertmacro lathePath add
!macroend

; Links of the form lathe:// and clicks on notifications are registered by the app itself, so they go with it. An update puts the new one
; into the same folder.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey HKCU "Software\Classes\lathe"
    DeleteRegKey HKCU "Software\Classes\CLSID\{6F5B1B0E-4C0B-4E0D-9B7A-2D1E8C3A57F4}"
    DeleteRegKey HKCU "Software\Classes\Directory\shell\Lathe"
    !insertmacro lathePath remove
  ${endIf}
!macroend

; Lathe changes PATH itself: a text of the installer is too short for a long one. Programs are told, so that new terminals know.
!macro lathePath ACT
  nsExec::Exec '"$SYSDIR\cmd.exe" /d /c ""$INSTDIR\resources\bin\lathe.cmd" path ${ACT}"'
  Pop $R9
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=5000
!macroend
