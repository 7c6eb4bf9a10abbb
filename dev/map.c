// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of words, doorbells and the completion ring. Their pages are charged to the user
 * who opened the file, and are freed after the file was closed and unmapped.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include "../compat.h"
#include "dev.h"

/* The ring's tail and the next wake-up are on separate cache lines. */
static_assert(offsetof(struct wheel_kernel_page, next_wake) == 64);
static_assert(sizeof(struct wheel_kernel_page) == 128);

/* The areas are the shared arrays, and those that are allocated at set-up. */
enum { AREA_KERNEL = WHEEL_ARRAYS, AREA_USER, AREA_EVENTS, AREAS };

/* Offset of each area, which is also its name in mmap(). */
static const u64 offsets[AREAS] = {
	[WHEEL_WORDS]		= WHEEL_OFF_WORDS,
	[WHEEL_BELL_BITS]	= WHEEL_OFF_BELLS,
	[WHEEL_SUMMARY_BITS]	= WHEEL_OFF_SUMMARY,
	[AREA_KERNEL]		= WHEEL_OFF_KERNEL,
	[AREA_USER]		= WHEEL_OFF_USER,
	[AREA_EVENTS]		= WHEEL_OFF_EVENTS,
};

/* Return the area at an offset, or AREAS. */
static unsigned long area_at(u64 offset)
{
	unsigned long area = WHEEL_WORDS;

	while (area < AREAS && offsets[area] != offset)
		area++;
	return area;
}

/* Allocate the page that the kernel writes, and the ring. If it fails, call _shared_free(). */
int wheel_file_shared_alloc(struct wheel_file *file)
{
	void *page = wheel_file_page_alloc(file);

	if (IS_ERR(page))
		return PTR_ERR(page);
	file->kernel = page;
	if (file->slots.words) {
		file->slots.scanner.next_wake = &file->kernel->next_wake;
		wheel_scan_init(&file->slots);
	}
	return file->slots.setup.events ? wheel_event_ring_alloc(file) : 0;
}

void wheel_file_shared_free(struct wheel_file *file)
{
	wheel_event_ring_free(file);
	free_page((unsigned long)file->kernel);
	file->kernel = NULL;
}

/* Return the number of pages of an area, 0 if the file does not have it. */
static u32 area_pages(const struct wheel_file *file, unsigned long area)
{
	switch (area) {
	case AREA_KERNEL:
		return file->kernel ? 1 : 0;
	case AREA_USER:
		return file->ring.user ? 1 : 0;
	case AREA_EVENTS:
		return DIV_ROUND_UP(file->ring.size * sizeof(struct wheel_event), PAGE_SIZE);
	case AREAS:
		return 0;
	default:
		return wheel_file_array_pages(file, area);
	}
}

/* Return a page of an area, or an ERR_PTR. */
static struct page *area_page(struct wheel_file *file, unsigned long area, u32 at)
{
	switch (area) {
	case AREA_KERNEL:
		return virt_to_page(file->kernel);
	case AREA_USER:
		return virt_to_page(file->ring.user);
	case AREA_EVENTS:
		return file->ring.pages[at];
	default:
		return wheel_file_array_page(file, area, at);
	}
}

static vm_fault_t wheel_map_fault(struct vm_fault *vmf)
{
	struct wheel_file *file = vmf->vma->vm_file->private_data;
	unsigned long area = (unsigned long)vmf->vma->vm_private_data;
	pgoff_t at = vmf->pgoff - (offsets[area] >> PAGE_SHIFT);
	struct page *page;

	if (at >= area_pages(file, area))
		return VM_FAULT_SIGBUS;
	page = area_page(file, area, at);
	/*
	 * Not VM_FAULT_OOM: the opener's cgroup is charged, and if it is full, the fault would be
	 * retried forever on behalf of a task of another cgroup, which the OOM killer does not
	 * choose.
	 */
	if (IS_ERR(page))
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

/* Called by munmap() and at exit. A killed program may not have set its doorbells. */
static void wheel_map_close(struct vm_area_struct *vma)
{
	if ((unsigned long)vma->vm_private_data == WHEEL_BELL_BITS)
		wheel_file_bells_unmapped(vma->vm_file->private_data);
}

static const struct vm_operations_struct map_ops = {
	.fault	= wheel_map_fault,
	.close	= wheel_map_close,
};

/* mmap() of exactly one area */
int wheel_file_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct wheel_file *file = filp->private_data;
	unsigned long area = area_at((u64)vma->vm_pgoff << PAGE_SHIFT);
	bool writable = area != AREA_KERNEL && area != AREA_EVENTS;

	if (!wheel_file_ready(file) || !(vma->vm_flags & VM_MAYSHARE) ||
	    !area_pages(file, area) || vma_pages(vma) != area_pages(file, area))
		return -EINVAL;
	if (wheel_file_shifted(file))
		return -EOPNOTSUPP;
	if (vma->vm_flags & VM_EXEC || (vma->vm_flags & VM_WRITE && !writable))
		return -EPERM;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND, VM_MAYEXEC | (writable ? 0 : VM_MAYWRITE));
	vma->vm_private_data = (void *)area;
	vma->vm_ops = &map_ops;
	return 0;
}
