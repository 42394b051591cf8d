; Links of the form lathe:// are registered by the app itself, so they go with it.
!macro customUnInstall
  DeleteRegKey HKCU "Software\Classes\lathe"
!macroend
