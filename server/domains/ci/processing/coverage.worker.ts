import { parentPort, workerData } from 'node:worker_threads'

import { lastNumber, patternIn } from './coverage-pattern.ts'

const { text, given } = workerData as { readonly text: string; readonly given: string }
const pattern = patternIn(given)
parentPort?.postMessage(pattern ? lastNumber(text, pattern) : null)
