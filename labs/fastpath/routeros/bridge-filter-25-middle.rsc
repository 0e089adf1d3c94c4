# The rules of bridge-filter-25.rsc, with the one that forwards the streams thirteenth. Linux: ../linux/bridge-filter-25-middle.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/bridge/filter
add chain=forward dst-mac-address=02:00:C6:13:01:01/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:02:02/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:03:03/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:04:04/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:05:05/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:06:06/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:07:07/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:08:08/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:09:09/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:0A:0A/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:0B:0B/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:0C:0C/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:12:00:00/FF:FF:FF:FF:00:00 action=accept
add chain=forward dst-mac-address=02:00:C6:13:0D:0D/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:0E:0E/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:0F:0F/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:10:10/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:11:11/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:12:12/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:13:13/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:14:14/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:15:15/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:16:16/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:17:17/FF:FF:FF:FF:FF:FF action=drop
add chain=forward dst-mac-address=02:00:C6:13:18:18/FF:FF:FF:FF:FF:FF action=drop
