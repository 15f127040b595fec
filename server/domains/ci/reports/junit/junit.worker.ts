import { parentPort, workerData } from 'node:worker_threads'

import { parseJunit } from './parse.ts'

parentPort?.postMessage(parseJunit(workerData as readonly string[]))
