import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { columnChanges } from '../../../lib/column-changes.ts'
import { Failure } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { runShared } from '../issuables/commands/index.ts'
import { noteChange } from '../issuables/text-changes.ts'
import { references } from '../issuables/issuable.ts'
import type { CommandTarget } from '../issuables/commands/target.ts'
import { findProject, fullPath, project as scope, type Project } from '../../projects/index.ts'
import {
  type Command,
  type CommandName,
  type CommandResult,
  runEach,
  type CommandOutcome,
} from '../../discussions/index.ts'
import { formatDay } from './columns.ts'
import { IssueUpdated } from '../events.ts'
import {
  eventFields,
  asIssuable,
  ISSUE_TYPES,
  type IssueRow,
  issuesIn,
  projectOf,
  mayUpdate,
} from './issue.ts'
import { type IssueInput, parseDay } from './input.ts'
import { isHidden, linkIssues, unlinkIssues, type LinkType } from './links/service.ts'
import * as links from './links/store.ts'
import { cloneIssue, moveIssue } from './moving/service.ts'
import { canAdmin } from './policy.ts'
import { closeIssue } from './state.ts'
import * as store from './store.ts'
import { updateIssue } from './update.ts'

/** The issue that quick actions change. */
interface IssueCommandTarget extends CommandTarget {
  readonly issue: IssueRow
}

type IssueExecutor = (target: IssueCommandTarget, command: Command) => CommandResult | undefined

/** Sets metadata of the issue. Returns undefined if the actor may not. */
function setMetadata(
  target: IssueCommandTarget,
  input: IssueInput,
  changes: object,
  message: string,
): CommandResult | undefined {
  if (!target.mayPlan) return undefined
  updateIssue(target.ctx, target.project, target.issue, input)
  return { changes: { ...changes }, message }
}

const due: IssueExecutor = (target, { args }) => {
  const due_date = parseDay(args, target.ctx.now)
  return (
    (due_date &&
      setMetadata(target, { due_date }, { due_date }, `Set the due date to ${formatDay(due_date)}.`)) ||
    undefined
  )
}

const removeDue: IssueExecutor = (target) =>
  target.issue.due_date === null
    ? undefined
    : setMetadata(target, { due_date: null }, { due_date: null }, 'Removed the due date.')

const confidential: IssueExecutor = (target) =>
  target.issue.confidential
    ? undefined
    : setMetadata(target, { confidential: true }, { confidential: true }, 'Made this issue confidential.')

const weight: IssueExecutor = (target, { args }) => {
  const value = /^\d{1,6}$/.test(args) ? Number(args) : undefined
  return value === undefined
    ? undefined
    : setMetadata(target, { weight: value }, { weight: value }, `Set weight to ${value}.`)
}

const clearWeight: IssueExecutor = (target) =>
  target.issue.weight === null
    ? undefined
    : setMetadata(target, { weight: null }, { weight: null }, 'Cleared weight.')

const health: IssueExecutor = (target, { args }) => {
  const word = args.toLowerCase().replaceAll(' ', '_')
  const value = (['on_track', 'needs_attention', 'at_risk'] as const).find((status) => status === word)
  if (!value) return undefined
  return setMetadata(
    target,
    { health_status: value },
    { health_status: value },
    `Set health status to ${args}.`,
  )
}

const clearHealth: IssueExecutor = (target) =>
  target.issue.health_status === null
    ? undefined
    : setMetadata(target, { health_status: null }, { health_status: null }, 'Cleared health status.')

const type: IssueExecutor = (target, { args }) => {
  const word = args.toLowerCase().replaceAll(' ', '_')
  const value = ISSUE_TYPES.find((entry) => entry === word)
  if (!value) return undefined
  return setMetadata(target, { issue_type: value }, { issue_type: value }, `Changed the type to ${args}.`)
}

const promote: IssueExecutor = (target) =>
  target.issue.issue_type === 'incident'
    ? undefined
    : setMetadata(
        target,
        { issue_type: 'incident' },
        { issue_type: 'incident' },
        'Promoted this issue to an incident.',
      )

const SEVERITIES: Readonly<Record<string, IssueRow['severity']>> = {
  critical: 'CRITICAL',
  s1: 'CRITICAL',
  high: 'HIGH',
  s2: 'HIGH',
  medium: 'MEDIUM',
  s3: 'MEDIUM',
  low: 'LOW',
  s4: 'LOW',
  unknown: 'UNKNOWN',
}

const severity: IssueExecutor = ({ ctx, issue, mayPlan }, { args }) => {
  const value = SEVERITIES[args.toLowerCase()]
  if (!mayPlan || issue.issue_type !== 'incident' || !value || value === issue.severity) return undefined
  tx(ctx.db, () => {
    const edit = { updated_at: ctx.now, updated_by_id: ctx.actor.id }
    const updated = store.update(ctx.db, issue.id, { severity: value, ...edit })
    noteChange(ctx, asIssuable(issue), 'severity', `changed the severity to **${args}**`)
    const changes = columnChanges(issue, updated)
    publish(ctx, IssueUpdated, { ...eventFields(ctx, updated), changed: ['severity'], previous: {}, changes })
  })
  return { changes: { severity: value }, message: `Set the severity to ${args}.` }
}

/** Returns the first issue that a quick action names, except the issue that it changes. */
function findOtherIssue({ ctx, project, issue }: IssueCommandTarget, args: string): IssueRow | undefined {
  return issuesIn(ctx, project, args).find((entry) => entry.id !== issue.id)
}

const duplicate: IssueExecutor = (target, { args }) => {
  const { ctx, issue, project, mayPlan } = target
  const original = mayPlan ? findOtherIssue(target, args) : undefined
  if (!original || !mayUpdate(ctx, original)) return undefined
  const originalProject = projectOf(ctx, original)
  const name = references('Issue', original.iid, fullPath(originalProject), fullPath(project)).relative
  const reference = references('Issue', issue.iid, fullPath(project), fullPath(originalProject)).relative
  noteChange(ctx, asIssuable(issue), 'duplicate', `marked this issue as a duplicate of ${name}`, {
    internal: isHidden(project, originalProject, original),
  })
  noteChange(ctx, asIssuable(original), 'duplicate', `marked ${reference} as a duplicate of this issue`, {
    internal: isHidden(originalProject, project, issue),
  })
  closeIssue(ctx, issue, {}, { duplicated_to_id: original.id })
  if (issue.state === 'closed') store.update(ctx.db, issue.id, { duplicated_to_id: original.id })
  return {
    changes: { canonical_issue_id: original.id },
    message: `Closed this issue. Marked as related to, and a duplicate of, ${name}.`,
  }
}

const linkAs =
  (link_type: LinkType, words: string): IssueExecutor =>
  (target, { args }) => {
    const { ctx, project, issue } = target
    if (!target.mayUpdate) return undefined
    const otherIssues = issuesIn(ctx, project, args).filter(
      (entry) => entry.id !== issue.id && mayUpdate(ctx, entry) && !links.between(ctx.db, issue.id, entry.id),
    )
    if (otherIssues.length === 0) return undefined
    for (const otherIssue of otherIssues) linkIssues(ctx, issue, otherIssue, link_type)
    return { changes: {}, message: `${words} ${args}.` }
  }

const unlink: IssueExecutor = (target, { args }) => {
  const linked = target.mayUpdate ? findOtherIssue(target, args) : undefined
  const link = linked && links.between(target.ctx.db, target.issue.id, linked.id)
  if (!link) return undefined
  unlinkIssues(target.ctx, link)
  return { changes: {}, message: `Removed linked item ${args}.` }
}

/** Finds a project by its path. Undefined if the actor may not see it. */
function findTargetProject(ctx: Ctx, path: string): Project | undefined {
  const project = findProject(ctx, path)
  return project && canRead(ctx, scope, project) ? project : undefined
}

const move: IssueExecutor = ({ ctx, project, issue }, { args }) => {
  const target = findTargetProject(ctx, args)
  if (!target) return { message: 'Failed to move this issue because target project doesn’t exist.' }
  moveIssue(ctx, project, issue, target.id)
  return { changes: {}, message: `Moved this issue to ${args}.` }
}

const WITH_NOTES = '--with_notes'

const clone: IssueExecutor = ({ ctx, project, issue }, { args }) => {
  const with_notes = args.endsWith(WITH_NOTES)
  const path = with_notes ? args.slice(0, -WITH_NOTES.length).trimEnd() : args
  const target = path === '' ? project : findTargetProject(ctx, path)
  if (!target) return { message: 'Failed to clone this issue because target project doesn’t exist.' }
  cloneIssue(ctx, project, issue, { to_project_id: target.id, with_notes })
  return { changes: {}, message: `Cloned this issue to ${path === '' ? fullPath(project) : path}.` }
}

/** The quick actions that only issues have. */
const EXECUTORS: Partial<Record<CommandName, IssueExecutor>> = {
  due,
  remove_due_date: removeDue,
  confidential,
  weight,
  clear_weight: clearWeight,
  health_status: health,
  clear_health_status: clearHealth,
  type,
  promote_to_incident: promote,
  severity,
  duplicate,
  relate: linkAs('relates_to', 'Marked this issue as related to'),
  blocks: linkAs('blocks', 'Set this issue as blocking'),
  blocked_by: linkAs('is_blocked_by', 'Set this issue as blocked by'),
  unlink,
  move,
  clone,
}

/**
 * Runs the quick actions of a text on an issue, one after the other. Skips actions that do not apply or that the actor
 * may not use.
 */
export function runCommands(
  ctx: Ctx,
  project: Project,
  issueId: number,
  commands: readonly Command[],
): Promise<CommandOutcome> {
  return runEach(commands, async (command) => {
    const target = targetOf(ctx, project, issueId)
    if (!target) return undefined
    try {
      return (await runShared(target, command)) ?? (await EXECUTORS[command.name]?.(target, command))
    } catch (error) {
      // An action that the API would refuse does not apply.
      if (error instanceof Failure) return undefined
      throw error
    }
  })
}

function targetOf(ctx: Ctx, project: Project, issueId: number): IssueCommandTarget | undefined {
  const issue = store.byId(ctx.db, issueId)
  if (!issue) return undefined
  return {
    ctx,
    project,
    issue,
    issuable: asIssuable(issue),
    mayUpdate: mayUpdate(ctx, issue, project),
    mayPlan: canAdmin(ctx, project),
    change: (changes) => updateIssue(ctx, project, issue, changes),
  }
}
