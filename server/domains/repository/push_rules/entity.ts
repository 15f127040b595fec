import { z } from 'zod'

import { entity, time, type Entity } from '../../../http/entity.ts'
import type { PushRuleRow } from './store.ts'
import { valueOf, type FollowingName } from './types.ts'

/** A push rule, with the data that its answer depends on. */
export interface PushRuleView {
  readonly row: PushRuleRow
  readonly instance: PushRuleRow | undefined
  /** Returns whether the actor may change a value. The answer lacks values that they may not change. */
  mayChange(name: FollowingName): boolean
}

const following = {
  commit_committer_check: z.boolean().nullable().optional(),
  reject_unsigned_commits: z.boolean().nullable().optional(),
  reject_non_dco_commits: z.boolean().nullable().optional(),
  commit_committer_name_check: z.boolean().nullable().optional(),
}

const ruleFields = {
  commit_message_regex: z.string().nullable(),
  commit_message_negative_regex: z.string().nullable(),
  branch_name_regex: z.string().nullable(),
  deny_delete_tag: z.boolean(),
  member_check: z.boolean(),
  prevent_secrets: z.boolean(),
  author_email_regex: z.string().nullable(),
  file_name_regex: z.string().nullable(),
  max_file_size: z.int(),
  ...following,
}

function fieldsOf({ row, instance, mayChange }: PushRuleView) {
  const fieldOf = (name: FollowingName) => (mayChange(name) ? { [name]: valueOf(row, name, instance) } : {})
  return {
    commit_message_regex: row.commit_message_regex,
    commit_message_negative_regex: row.commit_message_negative_regex,
    branch_name_regex: row.branch_name_regex,
    deny_delete_tag: row.deny_delete_tag,
    member_check: row.member_check,
    prevent_secrets: row.prevent_secrets,
    author_email_regex: row.author_email_regex,
    file_name_regex: row.file_name_regex,
    max_file_size: row.max_file_size,
    ...fieldOf('commit_committer_check'),
    ...fieldOf('reject_unsigned_commits'),
    ...fieldOf('reject_non_dco_commits'),
    ...fieldOf('commit_committer_name_check'),
  }
}

/** The push rule of a project (spec administration 11.1). */
export const ProjectPushRule = entity(
  'ProjectPushRule',
  { id: z.int(), created_at: time(), project_id: z.int(), ...ruleFields },
  (view: PushRuleView) => ({
    id: view.row.id,
    created_at: view.row.created_at,
    project_id: view.row.project_id!,
    ...fieldsOf(view),
  }),
)

/** The push rule of a group, or of the instance. */
export const PushRule = entity(
  'PushRule',
  { id: z.int(), created_at: time(), ...ruleFields },
  (view: PushRuleView) => ({ id: view.row.id, created_at: view.row.created_at, ...fieldsOf(view) }),
)

/** Creates an entity that is `null` when there is no push rule. */
export function orNone<Shape>(
  presenter: Entity<PushRuleView, Shape>,
): Entity<PushRuleView | null, Shape | null> {
  return {
    name: presenter.name,
    schema: presenter.schema.nullable(),
    present: (view, at) => (view === null ? null : presenter.present(view, at)),
  }
}

/** The result of testing a pattern on a text. */
export interface PatternTest {
  readonly problem: string | undefined
  readonly matches: boolean
}

/** The error of a pattern, and whether a text matches it. */
export const PatternTrial = entity(
  'PatternTrial',
  { problem: z.string().nullable(), matches: z.boolean() },
  (trial: PatternTest) => ({ problem: trial.problem ?? null, matches: trial.matches }),
)
