/* SPDX-License-Identifier: MIT */
#ifndef VERSION_H
#define VERSION_H

#define WHEELQ_VERSION	"1.0"

#endif
