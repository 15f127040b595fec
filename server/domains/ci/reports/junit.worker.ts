import { parentPort, workerData } from 'node:worker_threads'

import { parseJunit } from './junit.ts'

parentPort?.postMessage(parseJunit(workerData as readonly string[]))
