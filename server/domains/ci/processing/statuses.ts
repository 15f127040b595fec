/** What a job can be (spec ci 2.1); pipelines know the same words but for `canceling`. */
export type JobStatus =
  | 'created'
  | 'waiting_for_resource'
  | 'preparing'
  | 'pending'
  | 'running'
  | 'canceling'
  | 'success'
  | 'failed'
  | 'canceled'
  | 'skipped'
  | 'manual'
  | 'scheduled'

const OVER: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped'])
const CANCELABLE: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
])

/** Nothing more comes by itself (`completed` in spec ci 2.1). */
export function isOver(status: string): boolean {
  return OVER.has(status)
}

/** It can still be called off (spec ci 2.1). */
export function isCancelableStatus(status: string): boolean {
  return CANCELABLE.has(status)
}
