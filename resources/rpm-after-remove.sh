#!/bin/sh
# Takes away what the installation made beside its files. An update runs this of the old version when the new one is in place;
# the number is that of the versions that stay.
[ "$1" = 0 ] || exit 0

if command -v update-alternatives >/dev/null 2>&1; then
  update-alternatives --remove '${executable}' '/opt/${sanitizedProductName}/${executable}'
fi
rm -f '/usr/bin/${executable}'

profile='/etc/apparmor.d/${executable}'
if [ -f "$profile" ]; then
  apparmor_parser --remove "$profile" 2>/dev/null
  rm -f "$profile"
fi
exit 0
