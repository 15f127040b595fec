/** Keeps the menu inside the window. */
const MENU_WIDTH = 296
const COPIED = [
  'boxSizing',
  'width',
  'paddingTop',
  'paddingRight',
  'paddingBottom',
  'paddingLeft',
  'borderTopWidth',
  'borderLeftWidth',
  'font',
  'lineHeight',
  'letterSpacing',
  'tabSize',
] as const

/** The position below a character of a text area, in pixels of the window. */
export const caretPosition = (area: HTMLTextAreaElement, at: number): { left: number; top: number } => {
  const style = getComputedStyle(area)
  const twin = document.createElement('div')
  for (const name of COPIED) twin.style[name] = style[name]
  Object.assign(twin.style, {
    position: 'absolute',
    visibility: 'hidden',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'break-word',
  })
  twin.textContent = area.value.slice(0, at)
  const mark = document.createElement('span')
  mark.textContent = '.'
  twin.append(mark)
  document.body.append(twin)
  const line = Number.parseFloat(style.lineHeight) || 20
  const box = area.getBoundingClientRect()
  const position = {
    left: Math.min(box.left + mark.offsetLeft, window.innerWidth - MENU_WIDTH),
    top: box.top + mark.offsetTop - area.scrollTop + line,
  }
  twin.remove()
  return position
}
