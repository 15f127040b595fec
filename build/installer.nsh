; The uninstaller asks before it removes data, and keeps it when nobody answers.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "Remove the data of Deskforge as well? All projects and repositories on this computer would be lost." /SD IDNO IDNO keep
    RMDir /r "$APPDATA\Deskforge"
    keep:
  ${endIf}
!macroend
