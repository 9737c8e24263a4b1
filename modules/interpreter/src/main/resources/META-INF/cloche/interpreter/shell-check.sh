# A cell that returns 1 if _cloche_text, set before, goes on in a further line. A shell that reads code which is not whole reads it
# to its end, also what stands far behind; one that finds a mistake stops, and leaves that.
printf '%s\n%16384s\n' "$_cloche_text" '' | {
    sh -n 2>/dev/null && exit 3
    read -r _
}
case $? in
0) return 0 ;;
1) return 1 ;;
esac
# It can be read. If `fi` is no mistake behind it, that belongs to a here-document or to a line that ends with a backslash.
printf '%s\nfi\n%16384s\n' "$_cloche_text" '' | sh -n 2>/dev/null && return 1
return 0
