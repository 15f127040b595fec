export { appendTrace, MAX_TRACE } from './append.ts'
export { eraseTrace } from './erase.ts'
export { endOfTrace, readTrace, type ReadTrace, type TraceRange } from './read.ts'
