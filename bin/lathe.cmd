@echo off
rem The command line of an installed Lathe: its own program, as plain Node, runs the command line in the archive.
setlocal
set ELECTRON_RUN_AS_NODE=1
rem Electron takes these two away; terminals and commands get them back.
set "LATHE_START_NODE_OPTIONS=%NODE_OPTIONS%"
set "LATHE_START_NODE_EXTRA_CA_CERTS=%NODE_EXTRA_CA_CERTS%"
"%~dp0..\..\Lathe.exe" "%~dp0..\app.asar\out\main\cli.js" %*
exit /b %errorlevel%
