import { parentPort, workerData, type MessagePort } from 'node:worker_threads'

import type { Resolver } from '../includes/resolver.ts'
import { compileConfig } from './compile.ts'
import type { Answer, Outcome, Question, Task } from './compile-apart.ts'

type Method = keyof Resolver
type Args<Name extends Method> = Parameters<NonNullable<Resolver[Name]>>
type Result<Name extends Method> = Awaited<ReturnType<NonNullable<Resolver[Name]>>>

/** A resolver that asks the thread that started this one. */
function asking(parent: MessagePort): Resolver {
  const waiting = new Map<number, (answer: Answer) => void>()
  let questions = 0
  parent.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  const ask = <Name extends Method>(method: Name, args: Args<Name>): Promise<Result<Name>> => {
    const id = ++questions
    parent.postMessage({ kind: 'question', id, method, args } satisfies Question)
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ value, failed }) => {
        if (failed) reject(new Error('A question was not answered.'))
        else resolve(value as Result<Name>)
      })
    })
  }
  return {
    read: (...args) => ask('read', args),
    list: (...args) => ask('list', args),
    open: (...args) => ask('open', args),
    remote: (...args) => ask('remote', args),
    exists: (...args) => ask('exists', args),
    artifact: (...args) => ask('artifact', args),
    template: (...args) => ask('template', args),
  }
}

if (parentPort) {
  const parent = parentPort
  const end = (outcome: Outcome): void => {
    parent.postMessage(outcome)
    parent.close()
  }
  const { text, options } = workerData as Task
  compileConfig(text, asking(parent), options).then(
    (compiled) => end({ kind: 'compiled', compiled }),
    (error: Error) => end({ kind: 'failed', stack: String(error.stack) }),
  )
}
