import { type MessagePort, parentPort } from 'node:worker_threads'

import type { ReadText } from '../../../lib/markdown.ts'
import { convertMarkup } from '../../../lib/markup/convert.ts'
import { wikiAddresses } from '../../../lib/markup/wiki-addresses.ts'
import { type FromThread, readTask, type RenderTask, type ToThread } from './read.ts'

/** Answers the messages of the pool, one text at a time. */
function serve(port: MessagePort): void {
  // A Markdown text that waits for its links.
  let waiting: ReadText | undefined

  const send = (message: FromThread): void => port.postMessage(message)

  const begin = async (task: RenderTask): Promise<void> => {
    if (task.format !== 'markdown') {
      const addresses = task.wiki && wikiAddresses(task.wiki)
      send({ kind: 'html', html: await convertMarkup(task.format, task.text, addresses) })
      return
    }
    waiting = readTask(task)
    send({ kind: 'marks', marks: waiting.marks })
  }

  const answer = async (message: ToThread): Promise<void> => {
    if (message.kind === 'task') await begin(message.task)
    else send({ kind: 'html', html: waiting!.render((_, index) => message.links[index]) })
  }

  port.on('message', (message: ToThread) => {
    answer(message).catch((error: Error) => send({ kind: 'failed', stack: String(error.stack) }))
  })
}

if (parentPort) serve(parentPort)
