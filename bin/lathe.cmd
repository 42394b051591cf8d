@echo off
rem The command line of an installed Lathe: its own program, as plain Node, runs the command line in the archive.
setlocal
set ELECTRON_RUN_AS_NODE=1
"%~dp0..\..\Lathe.exe" "%~dp0..\app.asar\out\main\cli.js" %*
exit /b %errorlevel%
