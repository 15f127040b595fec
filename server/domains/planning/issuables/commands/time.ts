import { addSpentTime, resetSpentTime, setEstimate, timeWords } from '../time-changes.ts'
import { parseDuration } from '../time.ts'
import type { Executor } from './target.ts'

/** `/estimate 1d 4h`. */
export const estimate: Executor = ({ ctx, issuable, mayPlan }, { args }) => {
  const seconds = parseDuration(args)
  if (!mayPlan || seconds === undefined || seconds <= 0) return undefined
  setEstimate(ctx, issuable, seconds)
  return { changes: { time_estimate: seconds }, message: `Set time estimate to ${timeWords(ctx, seconds)}.` }
}

/** `/remove_estimate`. */
export const removeEstimate: Executor = ({ ctx, issuable, mayPlan }) => {
  if (!mayPlan || issuable.time_estimate === 0) return undefined
  setEstimate(ctx, issuable, 0)
  return { changes: { time_estimate: 0 }, message: 'Removed time estimate.' }
}

/** `/spend 1h 30m`, `/spend -30m`, `/spend 1h 2026-11-20`. */
export const spend: Executor = ({ ctx, issuable, mayPlan }, { args }) => {
  const dated = /\s(\d{4}-\d{2}-\d{2})$/.exec(args)
  const [words, day] = dated ? [args.slice(0, dated.index), dated[1]] : [args, undefined]
  const seconds = parseDuration(words)
  const isDay = day === undefined || !Number.isNaN(Date.parse(day))
  const spent_at = day === undefined ? ctx.now : `${day}T00:00:00.000Z`
  if (!mayPlan || !seconds || !isDay || spent_at > ctx.now) return undefined
  if (issuable.total_time_spent + seconds < 0) return undefined
  addSpentTime(ctx, issuable, { seconds, spent_at })
  const verb = seconds > 0 ? 'Added' : 'Subtracted'
  return {
    changes: { spend_time: { duration: seconds, spent_at: spent_at.slice(0, 10) } },
    message: `${verb} ${timeWords(ctx, Math.abs(seconds))} spent time.`,
  }
}

/** `/remove_time_spent`. */
export const removeTimeSpent: Executor = ({ ctx, issuable, mayPlan }) => {
  if (!mayPlan || issuable.total_time_spent === 0) return undefined
  resetSpentTime(ctx, issuable)
  return { changes: { spend_time: { duration: 'reset' } }, message: 'Removed spent time.' }
}
