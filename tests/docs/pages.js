// SPDX-License-Identifier: GPL-2.0
// The checks of pages, in the browser. check(kind) returns [findings, number of texts]. kind is
// "generated" for a page without neighbours, otherwise the directory of the page.

function luminance(colour) {
	const [r, g, b] = colour.map(c => {
		c /= 255;
		return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
	const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

// [red, green, blue], or null if it is transparent.
function colourOf(text) {
	const parts = text.match(/[\d.]+/g);
	return !parts || (parts.length > 3 && Number(parts[3]) === 0) ? null :
		parts.slice(0, 3).map(Number);
}

function background(element) {
	for (let e = element; e; e = e.parentElement) {
		const colour = colourOf(getComputedStyle(e).backgroundColor);
		if (colour)
			return colour;
	}
	return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
}

function quote(text) {
	return JSON.stringify(text.trim().slice(0, 40));
}

function visible(element) {
	const style = getComputedStyle(element);
	const box = element.getBoundingClientRect();
	return style.visibility !== "hidden" && style.opacity !== "0" && box.width > 1 &&
		box.height > 1;
}

// The texts of HTML, each with its element.
function* texts() {
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const element = walker.currentNode.parentElement;
		if (walker.currentNode.data.trim() && !element.closest("svg, script, style") &&
		    visible(element))
			yield [walker.currentNode.data, element];
	}
}

function checkText(text, element, found) {
	const style = getComputedStyle(element);
	const size = parseFloat(style.fontSize);
	const needed = size >= 24 || (size >= 18.6 && style.fontWeight >= 700) ? 3 : 4.5;
	const ratio = contrast(colourOf(style.color), background(element));
	if (ratio < needed)
		found.push(`contrast ${ratio.toFixed(1)} of ${quote(text)}`);
	for (let e = element; e !== document.body; e = e.parentElement) {
		const overflow = getComputedStyle(e).overflowX;
		if ((overflow === "hidden" || overflow === "clip") && e.scrollWidth > e.clientWidth + 1)
			return found.push(`clipped: ${quote(text)}`);
	}
}

function inside(point, box) {
	return point.x > box.left && point.x < box.right && point.y > box.top && point.y < box.bottom;
}

// A text of a drawing is in the drawing, and in the smallest shape around its center.
function checkLabel(label, found) {
	const drawing = label.closest("svg");
	const box = label.getBoundingClientRect();
	const center = {x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2};
	const shapes = [...drawing.querySelectorAll("rect, .node path, .node polygon, path.shape")]
		.map(shape => [shape, shape.getBoundingClientRect()])
		.filter(([shape, b]) => inside(center, b) && shape.checkVisibility() &&
			getComputedStyle(shape).fill !== "none")
		.sort(([, a], [, b]) => a.width * a.height - b.width * b.height);
	const [shape, around] = shapes[0] || [null, drawing.getBoundingClientRect()];
	if (box.left < around.left - 1 || box.right > around.right + 1 ||
	    box.top < around.top - 2 || box.bottom > around.bottom + 2)
		found.push(`text exceeds its box: ${quote(label.textContent)}`);
	const fill = colourOf(getComputedStyle(label).fill);
	const behind = shape && colourOf(getComputedStyle(shape).fill) || background(drawing);
	const ratio = contrast(fill, behind);
	if (ratio < 4.5)
		found.push(`contrast ${ratio.toFixed(1)} of ${quote(label.textContent)} in a drawing`);
}

function checkSidebar(found) {
	const sidebar = document.querySelector("div.sphinxsidebar");
	const last = sidebar && [...sidebar.querySelectorAll("a, input")].filter(visible).pop();
	if (!last)
		return found.push("sidebar is missing");
	const scrolls = getComputedStyle(sidebar).position === "fixed" ? sidebar : window;
	scrolls.scrollTo(0, 1e6);
	const box = last.getBoundingClientRect();
	if (box.top < 0 || box.bottom > innerHeight + 1)
		found.push("sidebar cannot be scrolled to its end");
	scrolls.scrollTo(0, 0);
}

function checkNavigation(found) {
	for (const place of ["top", "bottom"])
		if (!document.querySelector(`div.related.${place} a`))
			found.push(`no link to a neighbour at the ${place}`);
	if (!document.querySelector("div.sphinxsidebar a.reference.internal[href^='#']"))
		found.push("no table of contents of the page");
	if (!/Version \d/.test(document.querySelector("p.blurb")?.textContent))
		found.push("no version");
}

// A guide fills at most four screens of 1280 x 800 pixels, with a complete program.
function checkLength(found) {
	const {height} = document.querySelector("div.body").getBoundingClientRect();
	if (height > 4 * 800)
		found.push(`more than four screens: ${Math.round(height)} pixels`);
}

// A plot of make bench has ticks, ratios, visible marks, and a dashed line for a hashed wheel.
function checkPlot(figure, found) {
	const name = quote(figure.querySelector("b").textContent);
	const texts = [...figure.querySelectorAll("svg text")];
	const labels = texts.map(text => text.textContent.trim());
	const isDots = labels.some(label => label.includes("lower is better"));

	if (labels.filter(label => /^\d[\d.]*$/.test(label)).length < 2)
		found.push(`no ticks: ${name}`);
	if (isDots && !labels.some(label => label.endsWith(" x)")))
		found.push(`no ratios: ${name}`);
	if (!isDots && labels.some(label => label.startsWith("hashed")) &&
	    !figure.querySelector("path[stroke-dasharray]:not(.gridline)"))
		found.push(`no dashed line: ${name}`);
	const boxes = texts.map(text => text.getBoundingClientRect()).filter(box => box.width > 1);
	if (boxes.some((a, i) => boxes.slice(i + 1).some(b => a.left < b.right && b.left < a.right &&
							a.top < b.bottom && b.top < a.bottom)))
		found.push(`texts overlap: ${name}`);
	for (const mark of figure.querySelectorAll("use[color], path[stroke^=rgb]:not(.gridline)")) {
		const {color, stroke} = getComputedStyle(mark);
		const ratio = contrast(colourOf(mark.tagName === "use" ? color : stroke), background(figure));
		if (ratio < 3)
			found.push(`contrast ${ratio.toFixed(1)} of a mark: ${name}`);
	}
}

function checkPlots(found) {
	for (const figure of document.querySelectorAll("figure"))
		checkPlot(figure, found);
	// gnuplot's hollow circle.
	if (!document.querySelector("use[color][*|href='#gpPt5']"))
		found.push("no points of an earlier run");
}

function check(kind) {
	const found = [];
	let count = 0;

	if (document.documentElement.scrollWidth > innerWidth)
		found.push(`wider than the window: ${document.documentElement.scrollWidth} pixels`);
	for (const [text, element] of texts()) {
		checkText(text, element, found);
		count++;
	}
	for (const label of document.querySelectorAll("svg text")) {
		checkLabel(label, found);
		count++;
	}
	if (kind === "bench")
		checkPlots(found);
	else
		checkSidebar(found);
	if (kind !== "bench" && kind !== "generated")
		checkNavigation(found);
	if (kind === "howto" && innerWidth === 1280)
		checkLength(found);
	return [[...new Set(found)], count];
}
