// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of words, doorbells and the completion ring. Their pages are charged to the user
 * who opened the file, and are freed after the file was closed and unmapped.
 */
#include <linux/mm.h>
#include "../compat.h"
#include "dev.h"

/**
 * struct area - Range of file offsets that can be mapped
 * @offset: first offset in bytes
 * @pages: returns the number of pages in this file, 0 if it does not have the area
 * @page: returns a page, or an ERR_PTR
 * @writable: true if the program may write to the area
 */
struct area {
	u64		offset;
	u32		(*pages)(const struct wheel_file *file);
	struct page	*(*page)(struct wheel_file *file, u32 at);
	bool		writable;
};

static u32 kernel_pages(const struct wheel_file *file)
{
	return file->kernel ? 1 : 0;
}

static u32 user_pages(const struct wheel_file *file)
{
	return file->ring ? 1 : 0;
}

static u32 event_pages(const struct wheel_file *file)
{
	return file->ring ? wheel_event_ring_pages(file->slots.setup.events) : 0;
}

static struct page *kernel_page(struct wheel_file *file, u32 at)
{
	return virt_to_page(file->kernel);
}

static struct page *user_page(struct wheel_file *file, u32 at)
{
	return wheel_event_ring_page(file->ring, WHEEL_RING_USER);
}

static struct page *event_page(struct wheel_file *file, u32 at)
{
	return wheel_event_ring_page(file->ring, WHEEL_RING_EVENTS + at);
}

static u32 word_pages(const struct wheel_file *file)
{
	return wheel_file_shared_pages(file, WHEEL_WORDS);
}

static struct page *word_page(struct wheel_file *file, u32 at)
{
	return wheel_file_shared_page(file, WHEEL_WORDS, at);
}

static u32 bell_pages(const struct wheel_file *file)
{
	return wheel_file_shared_pages(file, WHEEL_BELL_BITS);
}

static struct page *bell_page(struct wheel_file *file, u32 at)
{
	return wheel_file_shared_page(file, WHEEL_BELL_BITS, at);
}

static u32 summary_pages(const struct wheel_file *file)
{
	return wheel_file_shared_pages(file, WHEEL_SUMMARY_BITS);
}

static struct page *summary_page(struct wheel_file *file, u32 at)
{
	return wheel_file_shared_page(file, WHEEL_SUMMARY_BITS, at);
}

static const struct area areas[] = {
	{ WHEEL_OFF_KERNEL, kernel_pages, kernel_page },
	{ WHEEL_OFF_USER, user_pages, user_page, .writable = true },
	{ WHEEL_OFF_EVENTS, event_pages, event_page },
	{ WHEEL_OFF_WORDS, word_pages, word_page, .writable = true },
	{ WHEEL_OFF_BELLS, bell_pages, bell_page, .writable = true },
	{ WHEEL_OFF_SUMMARY, summary_pages, summary_page, .writable = true },
};

static const struct area *area_of(const struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	int i;

	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		if (areas[i].offset == offset)
			return &areas[i];
	}
	return NULL;
}

static vm_fault_t wheel_map_fault(struct vm_fault *vmf)
{
	struct wheel_file *file = vmf->vma->vm_file->private_data;
	const struct area *area = vmf->vma->vm_private_data;
	pgoff_t at = vmf->pgoff - (area->offset >> PAGE_SHIFT);
	struct page *page;

	if (at >= area->pages(file))
		return VM_FAULT_SIGBUS;
	page = area->page(file, at);
	if (IS_ERR(page))
		return vmf_error(PTR_ERR(page));
	get_page(page);
	vmf->page = page;
	return 0;
}

/* Called by munmap() and at exit. A killed program may not have set its doorbells. */
static void wheel_map_close(struct vm_area_struct *vma)
{
	const struct area *area = vma->vm_private_data;

	if (area->offset == WHEEL_OFF_BELLS)
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
	const struct area *area = area_of(vma);

	if (!area || !wheel_file_ready(file) || !(vma->vm_flags & VM_MAYSHARE) ||
	    !area->pages(file) || vma_pages(vma) != area->pages(file))
		return -EINVAL;
	if (wheel_clock_shifted(file->slots.setup.clock))
		return -EOPNOTSUPP;
	if (vma->vm_flags & VM_EXEC ||
	    (vma->vm_flags & VM_WRITE && !area->writable))
		return -EPERM;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND,
		     VM_MAYEXEC | (area->writable ? 0 : VM_MAYWRITE));
	vma->vm_private_data = (void *)area;
	vma->vm_ops = &map_ops;
	return 0;
}
