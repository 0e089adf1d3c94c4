# shellcheck shell=sh
# A terminal of JupyterLab is a login shell, whose /etc/profile has set PATH anew by now.
PATH=/opt/ppslab/.venv/bin:$PATH:/usr/local/sbin:/usr/sbin:/sbin
