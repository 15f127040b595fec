import { endpoint, type Endpoint } from '../../../../http/endpoint.ts'
import { text } from '../../../../http/params.ts'
import { created, ok } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { project } from '../../../projects/index.ts'
import { TimeStats } from '../entity.ts'
import type { Issuable } from '../issuable.ts'
import type { IssuableContext, IssuableKind } from '../kind.ts'
import { addSpentTime, resetSpentTime, setEstimate } from '../time-changes.ts'
import { parseDuration } from '../time.ts'

interface TimeParams {
  readonly duration: string
  readonly summary?: string
}

type Context = IssuableContext<TimeParams>

const duration = text({ max: 255 }).describe('How long, as `1h 30m`')
const INVALID = 'The duration is none, or takes back more than there is'

/** Estimates and time spent on one kind (spec core 5.2). */
export function timeEndpoints(kind: IssuableKind): Endpoint[] {
  const at = `/projects/:id${kind.path}` as const
  const common = { scope: project, can: kind.plan, fails: { 400: INVALID } }
  const load = (context: unknown): [Context, Issuable] => {
    const ctx = context as Context
    return [ctx, kind.load(ctx, ctx.project, ctx.params)]
  }
  return [
    endpoint(`GET ${at}/time_stats`, {
      summary: `Get estimated and spent time of a ${kind.title}`,
      scope: project,
      can: kind.read,
      params: kind.params,
      returns: ok(TimeStats),
      run: (context) => load(context)[1],
    }),
    endpoint(`POST ${at}/time_estimate`, {
      summary: `Say how long a ${kind.title} will take`,
      ...common,
      params: { ...kind.params, duration },
      returns: ok(TimeStats),
      run: (context) => {
        const [ctx, issuable] = load(context)
        return setEstimate(ctx, issuable, parseDuration(ctx.params.duration))
      },
    }),
    endpoint(`POST ${at}/reset_time_estimate`, {
      summary: `Take the estimate of a ${kind.title} away`,
      ...common,
      params: kind.params,
      returns: ok(TimeStats),
      run: (context) => setEstimate(...load(context), 0),
    }),
    endpoint(`POST ${at}/add_spent_time`, {
      summary: `Add time that was spent on a ${kind.title}`,
      ...common,
      params: {
        ...kind.params,
        duration,
        summary: text({ max: 255 }).optional().describe('What was done'),
      },
      returns: created(TimeStats),
      run: (context) => {
        const [ctx, issuable] = load(context)
        const seconds = parseDuration(ctx.params.duration)
        if (seconds === undefined) throw fail('parameter', 'duration is invalid')
        return addSpentTime(ctx, issuable, { seconds, summary: ctx.params.summary })
      },
    }),
    endpoint(`POST ${at}/reset_spent_time`, {
      summary: `Forget the time that was spent on a ${kind.title}`,
      ...common,
      params: kind.params,
      returns: ok(TimeStats),
      run: (context) => resetSpentTime(...load(context)),
    }),
  ]
}
