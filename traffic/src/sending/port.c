#include "sending/port.h"

#include "frames/frame.h"
#include "machine/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int query(const char *interface, unsigned long request, struct ifreq *answer) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        fd = port_socket();
    *answer = (struct ifreq){0};
    strncpy(answer->ifr_name, interface, IFNAMSIZ - 1);
    int result = ioctl(fd, request, answer);
    close(fd);
    return result;
}

/* IFF_RUNNING follows the carrier only after up to a second (net/core/link_watch.c). */
static bool has_carrier(const char *interface, bool running) {
    struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_data = (void *)&link};
    strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
    bool known = fd >= 0 && ioctl(fd, SIOCETHTOOL, &request) == 0;
    if (fd >= 0)
        close(fd);
    return known ? link.data != 0 : running;
}

const char *port_trouble(const char *interface) {
    struct ifreq answer;
    if (query(interface, SIOCGIFFLAGS, &answer) < 0)
        return errno == ENODEV ? "no such interface" : strerror(errno);
    if (!(answer.ifr_flags & IFF_UP))
        return "the interface is down";
    return has_carrier(interface, answer.ifr_flags & IFF_RUNNING)
               ? NULL
               : "the interface has no carrier (is its other end up?)";
}

int port_open(const char *interface, unsigned size) {
    struct ifreq answer;
    const char *trouble = port_trouble(interface);
    if (trouble)
        fail(EXIT_TRIAL, "%s: %s", interface, trouble);
    if (query(interface, SIOCGIFHWADDR, &answer) < 0)
        fail(EXIT_TRIAL, "%s: %s", interface, strerror(errno));
    if (answer.ifr_hwaddr.sa_family != ARPHRD_ETHER)
        fail(EXIT_TRIAL, "%s: not an Ethernet interface", interface);
    if (query(interface, SIOCGIFMTU, &answer) < 0)
        fail(EXIT_TRIAL, "%s: %s", interface, strerror(errno));
    int needed = (int)size - FCS_SIZE - ETHERNET_HEADER;
    if (answer.ifr_mtu < needed)
        fail(EXIT_TRIAL, "%s: MTU %d is too small for frames of %u bytes: ip link set %s mtu %d",
             interface, answer.ifr_mtu, size, interface, needed);
    if (query(interface, SIOCGIFINDEX, &answer) < 0)
        fail(EXIT_TRIAL, "%s: %s", interface, strerror(errno));
    return answer.ifr_ifindex;
}

int port_socket(void) {
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        return fd;
    if (errno == EPERM || errno == EACCES)
        fail(EXIT_CANNOT, "no permission to open packet sockets: run as root, "
                          "or inside 'unshare --user --map-root-user --net'");
    if (errno == EAFNOSUPPORT)
        fail(EXIT_CANNOT, "this kernel has no packet sockets (CONFIG_PACKET)");
    fail(EXIT_TRIAL, "packet socket: %s", strerror(errno));
}

void port_bind(int socket, int ifindex, const char *interface, unsigned short protocol) {
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(protocol), .sll_ifindex = ifindex};
    if (bind(socket, (struct sockaddr *)&address, sizeof address) < 0)
        fail(EXIT_TRIAL, "%s: %s", interface, strerror(errno));
}
