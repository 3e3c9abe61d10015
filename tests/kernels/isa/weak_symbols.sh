#!/bin/sh
# Fails when an ISA object holds a weak symbol of a namespace that others share: the linker might keep
# the copy with wide instructions for everybody. Usage: weak_symbols.sh NM OBJECT...
nm=$1
shift
status=0
for object in "$@"; do
  if ! names=$("$nm" --demangle "$object"); then
    echo "cannot read $object"
    exit 1
  fi
  case $names in
    *_table*) ;;
    *) echo "$object: no kernel table in it"; status=1 ;;
  esac
  shared=$(printf '%s\n' "$names" | grep -E '^[0-9a-f ]+ [VWuvw] .*(std|tt::core|tt::io)::')
  if [ -n "$shared" ]; then
    echo "$object: weak symbols that an ISA object must not have:"
    echo "$shared"
    status=1
  fi
done
exit $status
