import type { Ctx } from '../../../../ctx.ts'
import { availableLabels } from '../../labels/store.ts'
import type { LabelRow } from '../../labels/label.ts'
import { milestoneTitled } from '../../milestones/store.ts'
import type { MilestoneRow } from '../../milestones/milestone.ts'
import type { Project } from '../../../projects/index.ts'
import { userByUsername, type UserRow } from '../../../users/index.ts'

/** Most names in one quick action. */
const MAX_NAMES = 200

/** Returns the users in `@a @b`, `a, b` and `me`. Unknown names are ignored. */
export function usersIn(ctx: Ctx, args: string): UserRow[] {
  const names = args.split(/[\s,]+/).flatMap((word) => {
    const name = word.replace(/^@/, '')
    if (name === '' || name === 'and') return []
    return name.toLowerCase() === 'me' && ctx.actor.kind === 'user' ? [ctx.actor.username] : [name]
  })
  const wanted = [...new Set(names)].slice(0, MAX_NAMES)
  const found = wanted.flatMap((name) => userByUsername(ctx.db, name) ?? [])
  return [...new Map(found.map((user) => [user.id, user])).values()]
}

/** Returns the labels of the project in `~bug ~"two words"` or `bug, "two words"`. The case is ignored. */
export function labelsIn(ctx: Ctx, project: Project, args: string): LabelRow[] {
  const all = availableLabels(ctx.db, project)
  const byTitle = new Map(all.map((label) => [label.title.toLowerCase(), label]))
  const byId = new Map(all.map((label) => [String(label.id), label]))
  const words = [...args.matchAll(/~?"([^"]+)"|~?([^\s,~"]+)/g)].map((found) => found[1] ?? found[2]!)
  const whole = byTitle.get(args.replace(/^~?"?|"?$/g, '').toLowerCase())
  const found = words.flatMap((word) => byTitle.get(word.toLowerCase()) ?? byId.get(word) ?? [])
  return [...new Set(found.length === 0 && whole ? [whole] : found)]
}

/** Returns the milestone of the project in `%"1.0"`, `%1.0` or `1.0`. */
export function milestoneIn(ctx: Ctx, project: Project, args: string): MilestoneRow | undefined {
  const title = args.replace(/^%/, '').replace(/^"(.*)"$/, '$1')
  return title === '' ? undefined : milestoneTitled(ctx.db, project, title)
}

/** Makes `~"two words", ~bug` from labels. */
export function labelNames(labels: readonly LabelRow[]): string {
  return labels.map(({ title }) => (/[\s~"]/.test(title) ? `~"${title}"` : `~${title}`)).join(' ')
}
