import type { Ctx } from '../../../ctx.ts'
import { isoDate } from '../../../lib/clock.ts'
import { type Project, project as scope, projectById, protectionsOf } from '../../projects/index.ts'
import { needsCodeOwners, protecting } from '../../repository/index.ts'
import type { MergeRequestRow } from '../types.ts'
import { isOverridable, type Rule } from './rules/rule.ts'
import * as ruleStore from './rules/store.ts'
import * as store from './store.ts'
import { type ApprovalRow, type ApprovalSettings, settingsOf } from './store.ts'
import { hasAbility } from '../../../policy/ability.ts'
import type { Actor } from '../../../policy/actor.ts'
import { userByCommitEmail, userById, type UserRow } from '../../users/index.ts'
import { abilities } from '../policy.ts'

/** The state of the approvals of a merge request. */
export interface ApprovalState extends Tally {
  readonly approvals: readonly ApprovalRow[]
  /** Whether the merge request overrides the rules of its project. */
  readonly overwritten: boolean
}

/** A merge request with its project and settings. */
interface ApprovalContext {
  readonly request: MergeRequestRow
  readonly project: Project
  readonly settings: ApprovalSettings
}

/**
 * Returns the state of the approvals (spec administration 12.4) according to the database. Before a decision, call
 * `refreshApprovals`, which updates the database from git.
 */
export function approvalState(ctx: Ctx, request: MergeRequestRow, project: Project): ApprovalState {
  const { id, latest_diff_id, target_branch, state } = request
  // The caller's row may be older than the stored one, so the key contains every column that the state depends on.
  const key = `approval-state:${id}:${latest_diff_id}:${state}:${isoDate(ctx.now)}:${target_branch}`
  return ctx.db.remember(key, () => {
    const context = { request, project, settings: settingsOf(ctx.db, project.id) }
    return state === 'merged' ? frozenState(ctx, context) : currentState(ctx, context)
  })
}

/** Whether all required approvals are given. False while the approvers of new commits are unknown. */
export function isApproved(ctx: Ctx, request: MergeRequestRow, project: Project): boolean {
  return isUpToDate(ctx, request, project) && approvalState(ctx, request, project).approved
}

function isUpToDate({ db }: Ctx, request: MergeRequestRow, project: Project): boolean {
  if (request.state === 'merged') return true
  const { merge_requests_disable_committers_approval: excludesCommitters } = settingsOf(db, project.id)
  if (!excludesCommitters && !requiresOwners({ db }, request)) return true
  const progress = store.gitDataOf(db, request.id)
  return progress?.diff_id === request.latest_diff_id && progress.target_branch === request.target_branch
}

function requiresOwners({ db }: Pick<Ctx, 'db'>, request: MergeRequestRow): boolean {
  return needsCodeOwners(protecting(protectionsOf(db, request.project_id), request.target_branch))
}

/** Whether merge requests may override the rules of their project. */
export function canOverride(settings: ApprovalSettings): boolean {
  return !settings.disable_overriding_approvers_per_merge_request
}

/** Lists the rules of a project that apply to a target branch (spec administration 12.2, `protected_branch_ids`). */
export function projectRulesFor({ db }: Ctx, project: Project, branch: string): readonly Rule[] {
  const rules = ruleStore.ofProject(db, project.id)
  if (rules.length === 0) return rules
  const matching = new Set(
    protecting(protectionsOf(db, project.id), branch).map((protection) => protection.id),
  )
  return rules.filter((rule) => {
    if (rule.applies_to_all_protected_branches) return matching.size > 0
    return rule.branch_ids.length === 0 || rule.branch_ids.some((id) => matching.has(id))
  })
}

/** Lists the rules of the merge request that override those of its project. */
export function overridingRules(
  { db }: Ctx,
  request: MergeRequestRow,
  settings: ApprovalSettings,
): readonly Rule[] {
  if (!canOverride(settings)) return []
  return ruleStore.ofRequest(db, request.id).filter((rule) => !rule.frozen && isOverridable(rule))
}

/** Lists the rules that apply to a merge request that is not merged. */
export function rulesFor(ctx: Ctx, { request, project, settings }: ApprovalContext): readonly Rule[] {
  const rules = overridingRules(ctx, request, settings)
  const ofProject = projectRulesFor(ctx, project, request.target_branch)
  const ofPeople = rules.length > 0 ? rules : ofProject.filter(isOverridable)
  const reports = ofProject.filter((rule) => !isOverridable(rule))
  const owners = ruleStore
    .ofRequest(ctx.db, request.id)
    .filter((rule) => !rule.frozen && rule.rule_type === 'code_owner')
  return [...ofPeople, ...reports, ...owners]
}

function currentState(ctx: Ctx, context: ApprovalContext): ApprovalState {
  const { request, settings } = context
  const states = ruleStates(ctx, context, rulesFor(ctx, context))
  const approvals = countedApprovals(ctx, context)
  return { ...tally(states), approvals, overwritten: overridingRules(ctx, request, settings).length > 0 }
}

/** Returns the states of rules for a merge request, even of rules that do not apply to it. */
export function ruleStatesOf(
  ctx: Ctx,
  request: MergeRequestRow,
  project: Project,
  rules: readonly Rule[],
): readonly RuleState[] {
  const context = { request, project, settings: settingsOf(ctx.db, project.id) }
  return request.state === 'merged' ? frozenRuleStates(ctx, context, rules) : ruleStates(ctx, context, rules)
}

function countedApprovals(ctx: Ctx, { request, settings }: ApprovalContext): readonly ApprovalRow[] {
  return settings.reset_approvals_on_push
    ? currentApprovals(ctx, request)
    : store.approvalsOf(ctx.db, request.id)
}

function ruleStates(ctx: Ctx, context: ApprovalContext, rules: readonly Rule[]): RuleState[] {
  const { request, project, settings } = context
  const current = currentApprovals(ctx, request)
  const approvals = countedApprovals(ctx, context)
  const excluded = excludedApprovers(ctx, context)
  const eligible = eligibleApprovers(ctx, project, rules)
  const ownersAreRequired = requiresOwners(ctx, request)
  return rules.map((rule) => {
    const isOwners = rule.rule_type === 'code_owner'
    const counted = isOwners && settings.selective_code_owner_removals ? current : approvals
    return tallyRule(rule, {
      approvals_required: isOwners && !ownersAreRequired ? 0 : rule.approvals_required,
      approver_ids: (eligible.get(rule.id) ?? []).filter((id) => !excluded.has(id)),
      // An approver may become a committer after approving.
      approved_ids: counted.map((approval) => approval.user_id).filter((id) => !excluded.has(id)),
    })
  })
}

/** Lists the approvals of the newest version, and of earlier ones with the same change and target branch. */
export function currentApprovals({ db }: Ctx, request: MergeRequestRow): readonly ApprovalRow[] {
  const { latest_diff_id, target_branch } = request
  const all = store.approvalsOf(db, request.id)
  const isOfNewest = (approval: ApprovalRow) =>
    approval.diff_id === null || approval.diff_id === latest_diff_id
  const forTarget = all.filter(
    (approval) => approval.target_branch === null || approval.target_branch === target_branch,
  )
  if (forTarget.every(isOfNewest)) return forTarget
  const patch = store.patchOf(db, latest_diff_id)
  return forTarget.filter(
    (approval) => isOfNewest(approval) || (patch !== null && approval.patch_id === patch),
  )
}

/** Returns the users who cannot approve: the author and committers, if the project excludes them. */
export function excludedApprovers(
  ctx: Ctx,
  { request, settings }: Omit<ApprovalContext, 'project'>,
): ReadonlySet<number> {
  const excluded = new Set<number>()
  if (!settings.merge_requests_author_approval) excluded.add(request.author_id)
  if (settings.merge_requests_disable_committers_approval) {
    const emails = store.gitDataOf(ctx.db, request.id)?.committer_emails ?? '[]'
    for (const id of usersByCommitEmails(ctx, JSON.parse(emails) as string[])) excluded.add(id)
  }
  return excluded
}

/** The state that was frozen at the merge. */
function frozenState(ctx: Ctx, context: ApprovalContext): ApprovalState {
  const { request } = context
  const all = ruleStore.ofRequest(ctx.db, request.id).filter((rule) => rule.frozen)
  const rules = [...all.filter(isOverridable), ...all.filter((rule) => !isOverridable(rule))]
  const overwritten = rules.some((rule) => isOverridable(rule) && rule.source_rule_id === null)
  const approvals = store.approvalsOf(ctx.db, request.id)
  return { ...tally(frozenRuleStates(ctx, context, rules)), approvals, overwritten }
}

function frozenRuleStates(
  ctx: Ctx,
  { request, project }: ApprovalContext,
  rules: readonly Rule[],
): RuleState[] {
  const approvers = ruleStore.frozenApprovers(ctx.db, request.id)
  const eligible = eligibleApprovers(ctx, project, rules)
  return rules.map((rule) => {
    const approved_ids = approvers.get(rule.id) ?? []
    const approver_ids = [...new Set([...(eligible.get(rule.id) ?? []), ...approved_ids])]
    return tallyRule(rule, { approvals_required: rule.approvals_required, approver_ids, approved_ids })
  })
}

/**
 * Freezes the rules at a merge: copies every rule to the merge request, with the users who approved. Call it in the
 * transaction of the merge, before the state changes.
 */
export function freezeApprovals(ctx: Ctx, request: MergeRequestRow): void {
  const project = projectById(ctx.db, request.project_id)!
  const { rules } = approvalState(ctx, request, project)
  for (const { rule, approvals_required, approved_by_ids } of rules) {
    const id = freezeRule(ctx, request, rule, approvals_required)
    ruleStore.setApprovers(ctx.db, id, approved_by_ids)
  }
}

function freezeRule(ctx: Ctx, request: MergeRequestRow, rule: Rule, approvals_required: number): number {
  if (rule.merge_request_id !== null) {
    ruleStore.update(ctx.db, rule.id, { frozen: true, approvals_required })
    return rule.id
  }
  const { name, rule_type, report_type, section, user_ids, group_ids } = rule
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const copied = { name, rule_type, report_type, section, approvals_required, source_rule_id: rule.id }
  const row = { ...copied, ...times, merge_request_id: request.id, frozen: true }
  return ruleStore.insert(ctx.db, row, { user_ids, group_ids })
}

/** The state of a rule for a merge request. */
export interface RuleState {
  readonly rule: Rule
  /** The number of required approvals. 0 for code owner rules if the branch does not require them. */
  readonly approvals_required: number
  /** The eligible approvers. Empty for the rule for all members. */
  readonly approver_ids: readonly number[]
  readonly approved_by_ids: readonly number[]
  readonly approvals_left: number
  readonly approved: boolean
  /** Whether fewer eligible approvers are left than required. Such a rule does not block the merge. */
  readonly invalid: boolean
}

/** The numbers and users that the state of a rule is computed from. */
export interface TallyInput {
  readonly approvals_required: number
  readonly approver_ids: readonly number[]
  /** All users who approved, in order. */
  readonly approved_ids: readonly number[]
}

/** Computes the state of a rule (spec administration 12.4). */
export function tallyRule(
  rule: Rule,
  { approvals_required, approver_ids, approved_ids }: TallyInput,
): RuleState {
  if (rule.rule_type === 'any_approver') {
    const approvalsLeft = Math.max(approvals_required - approved_ids.length, 0)
    const tally = {
      approvals_required,
      approvals_left: approvalsLeft,
      approved: approvalsLeft === 0,
      invalid: false,
    }
    return { rule, approver_ids: [], approved_by_ids: approved_ids, ...tally }
  }
  const approved_by_ids = approved_ids.filter((id) => approver_ids.includes(id))
  const missing = Math.max(approvals_required - approved_by_ids.length, 0)
  const invalid = missing > 0 && approved_by_ids.length === approver_ids.length
  return {
    rule,
    approvals_required,
    approver_ids,
    approved_by_ids,
    approvals_left: invalid ? 0 : missing,
    approved: missing === 0 || invalid,
    invalid,
  }
}

/** The sum of the states of all rules. */
export interface Tally {
  readonly rules: readonly RuleState[]
  readonly approvals_required: number
  readonly approvals_left: number
  readonly approved: boolean
}

/**
 * Adds up the states of rules (spec administration 12.4). An approval counts for every rule that its user is an
 * approver of, also for the rule for all members.
 */
export function tally(rules: readonly RuleState[]): Tally {
  const isForAll = (rule: RuleState) => rule.rule.rule_type === 'any_approver'
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const leftOfOthers = sum(rules.filter((rule) => !isForAll(rule)).map((rule) => rule.approvals_left))
  const leftOfAll = sum(rules.filter(isForAll).map((rule) => rule.approvals_left))
  return {
    rules,
    approvals_required: sum(rules.map((rule) => rule.approvals_required)),
    approvals_left: Math.max(leftOfOthers, leftOfAll),
    approved: rules.every((rule) => rule.approved),
  }
}

function actorOf(user: UserRow): Actor {
  return {
    kind: 'user',
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    is_admin: user.is_admin,
    external: user.external,
    scopes: null,
    via: 'system',
  }
}

/** Whether a named user can be an approver: active, and able to read merge requests (spec administration 14.12). */
function canBeApprover(ctx: Ctx, project: Project, userId: number): boolean {
  return ctx.db.remember(`approver:${project.id}:${userId}:${isoDate(ctx.now)}`, () => {
    const user = userById(ctx.db, userId)
    if (user?.state !== 'active') return false
    return hasAbility({ ...ctx, actor: actorOf(user) }, scope, abilities.read_merge_request, project)
  })
}

/**
 * Returns the eligible approvers of each rule: its users and the direct members of its groups, each once (spec 12.2).
 */
export function eligibleApprovers(ctx: Ctx, project: Project, rules: readonly Rule[]): Map<number, number[]> {
  const groups = new Set(rules.flatMap((rule) => rule.group_ids))
  const members = ruleStore.membersOf(ctx.db, [...groups], isoDate(ctx.now))
  const approversOf = (rule: Rule) => {
    const ids = [...rule.user_ids, ...rule.group_ids.flatMap((id) => members.get(id) ?? [])]
    return [...new Set(ids)].filter((id) => canBeApprover(ctx, project, id)).sort((a, b) => a - b)
  }
  return new Map(rules.map((rule) => [rule.id, approversOf(rule)]))
}

/** Returns the users with these commit email addresses. */
export function usersByCommitEmails(ctx: Ctx, emails: readonly string[]): Set<number> {
  const ownerOf = (email: string) =>
    ctx.db.remember(`committer:${email}`, () => userByCommitEmail(ctx, email)?.id ?? null)
  return new Set(emails.flatMap((email) => ownerOf(email) ?? []))
}
