/system/resource/cpu/print
/tool/profile cpu=all
/interface/print stats-detail where type=wg
/interface/print detail where type=wg
