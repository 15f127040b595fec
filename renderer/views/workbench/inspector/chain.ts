import type { RequestInFull } from './requests.ts'

/** A node of the chain: request → event → job → delivery. */
export type ChainNode =
  | { kind: 'event'; key: string; event: RequestInFull['events'][number]; children: ChainNode[] }
  | { kind: 'job'; key: string; job: RequestInFull['jobs'][number]; children: ChainNode[] }
  | { kind: 'delivery'; key: string; delivery: RequestInFull['deliveries'][number]; children: ChainNode[] }

/** Deliveries stand for these events. */
const DELIVERY = 'hook.delivery_ended'

/** What followed from a request, as a tree. Every event, job and delivery occurs once. */
export const chainOf = ({ events, jobs, deliveries }: RequestInFull): ChainNode[] => {
  const shown = events.filter(({ name }) => name !== DELIVERY)
  const isShown = new Set(shown.map(({ id }) => id))
  const parentEvent = (job: RequestInFull['jobs'][number]) => job.events.find((id) => isShown.has(id))
  const ofEvent = (event: (typeof shown)[number]): ChainNode => ({
    kind: 'event',
    key: `event ${event.id}`,
    event,
    children: jobs.filter((job) => parentEvent(job) === event.id).map(ofJob),
  })
  const ofJob = (job: RequestInFull['jobs'][number], index: number): ChainNode => ({
    kind: 'job',
    key: `job ${job.id ?? `${job.name} ${index}`}`,
    job,
    children: job.id === null ? [] : within(job.id),
  })
  const within = (job: number | null): ChainNode[] => [
    ...shown.filter((event) => event.job === job).map(ofEvent),
    ...jobs.filter((one) => one.job === job && parentEvent(one) === undefined).map(ofJob),
    ...deliveries
      .filter((one) => one.job === job)
      .map((delivery): ChainNode => ({
        kind: 'delivery',
        key: `delivery ${delivery.id}`,
        delivery,
        children: [],
      })),
  ]
  return within(null)
}
