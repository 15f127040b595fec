import { parentPort } from 'node:worker_threads'

import type { ReadText } from '../../../lib/markdown.ts'
import { convertMarkup } from '../../../lib/markup/convert.ts'
import { wikiAddresses } from '../../../lib/markup/wiki-addresses.ts'
import type { FromThread, Order, ToThread } from './messages.ts'
import { readOrder } from './read.ts'

/** A Markdown text whose links are being looked up. */
let waiting: ReadText | undefined

const say = (message: FromThread): void => parentPort?.postMessage(message)

async function begin(order: Order): Promise<void> {
  if (order.format !== 'markdown') {
    const addresses = order.wiki && wikiAddresses(order.wiki)
    say({ kind: 'html', html: await convertMarkup(order.format, order.text, addresses) })
    return
  }
  waiting = readOrder(order)
  say({ kind: 'marks', marks: waiting.marks })
}

async function answer(message: ToThread): Promise<void> {
  if (message.kind === 'order') await begin(message.order)
  else say({ kind: 'html', html: waiting!.render((_, index) => message.links[index]) })
}

parentPort?.on('message', (message: ToThread) => {
  answer(message).catch((error: Error) => say({ kind: 'failed', stack: String(error.stack) }))
})
