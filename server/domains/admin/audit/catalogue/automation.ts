import type { Subscription } from '../../../../events/facts.ts'
import { RunnerChanged } from '../../../ci/events.ts'
import { SecureFileCreated, SecureFileRemoved } from '../../../ci/secure_files/events.ts'
import { VariableCreated, VariableRemoved, VariableUpdated } from '../../../ci/variables/events.ts'
import { FeatureFlagChanged, UserListChanged } from '../../../feature_flags/events.ts'
import { IntegrationChanged } from '../../../integrations/events.ts'
import { ApprovalRuleChanged } from '../../../merge_requests/events.ts'
import { PullMirrorChanged, RemoteMirrorChanged } from '../../../mirrors/events.ts'
import { PushRuleChanged } from '../../../push_rules/events.ts'
import { ReleaseCreated, ReleaseDeleted, ReleaseUpdated } from '../../../releases/events.ts'
import { ProtectedBranchesChanged, ProtectedTagsChanged } from '../../../repository/events.ts'
import { HookChanged } from '../../../webhooks/events.ts'
import type { Look } from '../look.ts'
import { told, type Draft } from '../record.ts'
import { columnWords, verb } from '../words.ts'

interface Variable {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly variable_id: number
}

function ofVariable(fact: Variable, look: Look, done: string): Draft {
  const key = look.name('ci_variables', 'key', fact.variable_id)
  return {
    name: `ci_variable_${done}`,
    message: `${verb(done)} CI/CD variable ${key}`,
    entity: look.place(fact),
    target: { type: 'Ci::Variable', id: fact.variable_id, details: key },
  }
}

interface Protection {
  readonly project_id: number
  readonly name: string
  readonly action: string
}

function ofProtection(fact: Protection, look: Look, kind: 'branch' | 'tag'): Draft {
  const action = fact.action === 'changed' ? 'Changed the protection of' : verb(fact.action)
  return {
    name: `protected_${kind}_${fact.action}`,
    message: `${action} ${kind} ${fact.name}`,
    entity: look.project(fact.project_id),
    target: { type: kind === 'branch' ? 'ProtectedBranch' : 'ProtectedTag', id: null, details: fact.name },
  }
}

interface Release {
  readonly project_id: number
  readonly release_id: number
  readonly tag: string
}

function ofRelease(fact: Release, look: Look, done: string): Draft {
  return {
    name: `release_${done}`,
    message: `${verb(done)} release ${fact.tag}`,
    entity: look.project(fact.project_id),
    target: { type: 'Release', id: fact.release_id, details: fact.tag },
  }
}

function ofSecureFile(fact: { project_id: number; secure_file_id: number }, look: Look, done: string): Draft {
  const name = look.name('secure_files', 'name', fact.secure_file_id)
  return {
    name: `secure_file_${done}`,
    message: `${verb(done)} secure file ${name}`.trim(),
    entity: look.project(fact.project_id),
    target: { type: 'Ci::SecureFile', id: fact.secure_file_id, details: name },
  }
}

/** What projects are protected by, and what they tell others and run. */
export const automation: Subscription[] = [
  told(ProtectedBranchesChanged, (fact, look) => ofProtection(fact, look, 'branch')),
  told(ProtectedTagsChanged, (fact, look) => ofProtection(fact, look, 'tag')),
  told(ApprovalRuleChanged, (fact, look) => {
    const name = look.name('approval_rules', 'name', fact.approval_rule_id)
    const required = look.name('approval_rules', 'approvals_required', fact.approval_rule_id)
    return {
      name: `approval_rule_${fact.action}`,
      message: `${verb(fact.action)} approval rule ${name} (${required} required)`,
      entity: look.project(fact.project_id),
      target: { type: 'ApprovalProjectRule', id: fact.approval_rule_id, details: name },
    }
  }),
  told(PushRuleChanged, (fact, look) => ({
    name: `push_rule_${fact.action}`,
    message: [`${verb(fact.action)} push rules`, fact.changed.map(columnWords).join(', ')]
      .filter(Boolean)
      .join(': '),
    entity: look.place(fact),
    details: { changed: fact.changed },
  })),
  told(RemoteMirrorChanged, (fact, look) =>
    fact.action === 'synced'
      ? undefined
      : {
          name: `remote_mirror_${fact.action}`,
          message: `${verb(fact.action)} push mirror ${fact.mirror_id}`,
          entity: look.project(fact.project_id),
          target: { type: 'RemoteMirror', id: fact.mirror_id, details: String(fact.mirror_id) },
        },
  ),
  // Updates that nobody asked for are no news.
  told(PullMirrorChanged, (fact, look) =>
    fact.actor_id === null || fact.update_status !== 'none'
      ? undefined
      : {
          name: 'pull_mirror_updated',
          message: 'Changed what the project is mirrored from',
          entity: look.project(fact.project_id),
        },
  ),
  told(HookChanged, (fact, look) =>
    fact.actor_id === null
      ? undefined
      : {
          name: `web_hook_${fact.action}`,
          message: `${verb(fact.action)} webhook ${fact.hook_id}`,
          entity: look.place(fact),
          target: { type: 'WebHook', id: fact.hook_id, details: String(fact.hook_id) },
        },
  ),
  told(IntegrationChanged, (fact, look) => ({
    name: 'integration_updated',
    message: `${fact.active ? 'Changed' : 'Switched off'} integration ${fact.slug}`,
    entity: look.project(fact.project_id),
    target: { type: 'Integration', id: fact.integration_id, details: fact.slug },
  })),
  told(VariableCreated, (fact, look) => ofVariable(fact, look, 'created')),
  told(VariableUpdated, (fact, look) => ofVariable(fact, look, 'updated')),
  told(VariableRemoved, (fact, look) => ofVariable(fact, look, 'deleted')),
  told(RunnerChanged, (fact, look) => {
    if (fact.action === 'changed' && fact.actor_id === null) return undefined
    const details = look.name('runners', 'description', fact.runner_id)
    return {
      name: `ci_runner_${fact.action}`,
      message: `${verb(fact.action)} runner ${details === '' ? fact.runner_id : details}`,
      entity: look.place(fact),
      target: { type: 'Ci::Runner', id: fact.runner_id, details },
    }
  }),
  told(SecureFileCreated, (fact, look) => ofSecureFile(fact, look, 'created')),
  told(SecureFileRemoved, (fact, look) => ofSecureFile(fact, look, 'removed')),
  told(FeatureFlagChanged, (fact, look) => ({
    name: `feature_flag_${fact.action}`,
    message:
      fact.toggled && fact.action === 'updated'
        ? `Switched feature flag ${fact.name} ${fact.active ? 'on' : 'off'}`
        : `${verb(fact.action)} feature flag ${fact.name}`,
    entity: look.project(fact.project_id),
    target: { type: 'Operations::FeatureFlag', id: fact.feature_flag_id, details: fact.name },
  })),
  told(UserListChanged, (fact, look) => ({
    name: `feature_flag_user_list_${fact.action}`,
    message: `${verb(fact.action)} a list of users for feature flags`,
    entity: look.project(fact.project_id),
    target: {
      type: 'Operations::FeatureFlags::UserList',
      id: fact.user_list_id,
      details: String(fact.user_list_id),
    },
  })),
  told(ReleaseCreated, (fact, look) => ofRelease(fact, look, 'created')),
  told(ReleaseUpdated, (fact, look) => ofRelease(fact, look, 'updated')),
  told(ReleaseDeleted, (fact, look) => ofRelease(fact, look, 'deleted')),
]
