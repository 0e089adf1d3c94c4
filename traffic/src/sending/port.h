/* Test ports: the kernel's interfaces, and packet sockets on them. */
#pragma once

#include <stdbool.h>

/* The interface's index. Ends the program with one message when the interface is missing, down,
 * without carrier, no Ethernet, or its MTU too small for frames of `size` bytes with FCS. */
int port_open(const char *interface, unsigned size);

/* NULL when the interface can pass frames, else what is wrong with it. */
const char *port_trouble(const char *interface);

/* A packet socket that is not bound yet. Ends the program with EXIT_CANNOT when not permitted. */
int port_socket(void);

/* Binds to the interface; protocol 0 receives nothing. Ends the program when that fails. */
void port_bind(int socket, int ifindex, const char *interface, unsigned short protocol);
