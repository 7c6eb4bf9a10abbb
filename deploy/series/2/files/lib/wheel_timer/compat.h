/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of later versions for older kernels: none.
 */
