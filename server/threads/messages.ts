/** The types of the messages that a kind of thread and the main thread exchange. */
export interface Work {
  readonly task: unknown
  readonly result: unknown
  /** Sent by the thread while it works. It gets no answer. */
  readonly report?: unknown
  /** Sent by the thread, which then waits for the answer. */
  readonly question?: unknown
  readonly answer?: unknown
}

export type ToThread<W extends Work> =
  | { readonly kind: 'task'; readonly task: W['task'] }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: W['answer'] }

export type FromThread<W extends Work> =
  | { readonly kind: 'report'; readonly report: W['report'] }
  | { readonly kind: 'question'; readonly id: number; readonly question: W['question'] }
  | { readonly kind: 'done'; readonly result: W['result'] }
  | ({ readonly kind: 'failed' } & Failed)

/** An error of the thread. `refused` means one of the thread's declared errors (`problems`), which have a text for users. */
export interface Failed {
  readonly why: 'refused' | 'failed'
  readonly message: string
  readonly stack: string
  readonly code: string | undefined
}
