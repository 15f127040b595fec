export { namesIn, type NameInText } from './names.ts'
export { renderLine, renderMarkup, renderText } from './render.ts'
export type { TextPlace } from './wanted.ts'
export { trackerFrom, trackerOf, type OutsideIssue, type Tracker } from './trackers.ts'
