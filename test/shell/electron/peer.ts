// Calls between the application and the pages of its windows, which may be in another process.

/** A channel to another process, or to another part of this one. */
export interface Channel {
  send(message: Message): void
  receive(listener: (message: Message) => void): void
}

interface Message {
  readonly id: number
  /** The called function; an answer has none. */
  readonly name?: string
  readonly args?: readonly unknown[]
  readonly value?: unknown
  readonly error?: string
}

// Each function declares the types of its own arguments. The arguments have these types, because both ends are these files.
type Answers = Readonly<Record<string, (...args: never[]) => unknown>>

export interface Peer {
  /** Calls a function of the other end. */
  call<Value = void>(name: string, ...args: readonly unknown[]): Promise<Value>
  /** Rejects pending calls, because the other end is gone. */
  end(reason: string): void
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (reason: Error) => void
}

/** Connects this end to a channel and answers the calls of the other one. */
export function peer(channel: Channel, answers: Answers): Peer {
  let lastId = 0
  let ended: string | undefined
  const waiting = new Map<number, Waiting>()

  const answer = async ({ id, name = '', args = [] }: Message): Promise<void> => {
    try {
      const run = answers[name]
      if (!run) throw new Error(`There is no "${name}".`)
      channel.send({ id, value: await Reflect.apply(run, undefined, args) })
    } catch (error) {
      channel.send({ id, error: error instanceof Error ? error.message : String(error) })
    }
  }

  channel.receive((message) => {
    if (message.name !== undefined) return void answer(message)
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error === undefined) call?.resolve(message.value as never)
    else call?.reject(new Error(message.error))
  })
  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(new Error(ended))
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        channel.send({ id: lastId, name, args })
      }),
    end: (reason) => {
      ended = reason
      for (const call of waiting.values()) call.reject(new Error(reason))
      waiting.clear()
    },
  }
}

/** Two connected channels. */
export function channelPair(): [Channel, Channel] {
  const listeners: ((message: Message) => void)[][] = [[], []]
  const end = (own: number): Channel => ({
    send: (message) => setImmediate(() => listeners[1 - own]?.forEach((listener) => listener(message))),
    receive: (listener) => void listeners[own]?.push(listener),
  })
  return [end(0), end(1)]
}

interface Ipc {
  send?(message: Message, sent: (error: Error | null) => void): boolean
  on(name: 'message', listener: (message: Message) => void): unknown
}

/** The channel between a process and its child. Messages to a child that has ended are lost. */
export const channelOf = (end: Ipc): Channel => ({
  send: (message) => void end.send?.(message, () => undefined),
  receive: (listener) => void end.on('message', listener),
})
