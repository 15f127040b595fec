import { parentPort, workerData } from 'node:worker_threads'

import { compileConfig } from './compile.ts'
import type { Resolver } from '../includes/resolver.ts'
import type { Answer, Order, Outcome, Question } from './messages.ts'

const waiting = new Map<number, (answer: Answer) => void>()
let questions = 0

parentPort?.on('message', (answer: Answer) => {
  waiting.get(answer.id)?.(answer)
  waiting.delete(answer.id)
})

/** Asks the thread that started this one. */
function ask(method: keyof Resolver, args: readonly unknown[]): Promise<never> {
  const id = ++questions
  parentPort?.postMessage({ kind: 'question', id, method, args } satisfies Question)
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ value, failed }) => {
      if (failed) reject(new Error('A question was not answered.'))
      else resolve(value as never)
    })
  })
}

const resolver: Resolver = {
  read: (...args) => ask('read', args),
  list: (...args) => ask('list', args),
  open: (...args) => ask('open', args),
  remote: (...args) => ask('remote', args),
  exists: (...args) => ask('exists', args),
  artifact: (...args) => ask('artifact', args),
  template: (...args) => ask('template', args),
}

function end(outcome: Outcome): void {
  parentPort?.postMessage(outcome)
  parentPort?.close()
}

const { text, options } = workerData as Order
compileConfig(text, resolver, options).then(
  (compiled) => end({ kind: 'compiled', compiled }),
  (error: Error) => end({ kind: 'failed', stack: String(error.stack) }),
)
