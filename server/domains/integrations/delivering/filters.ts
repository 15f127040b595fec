import { deploymentOf } from '../../ci/index.ts'
import { protecting, protectionsOf } from '../../repository/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import { listOf, textOf, type Occasion } from './occasion.ts'
import {
  payloadOf,
  shortRef,
  type DeploymentPayload,
  type IssuablePayload,
  type LabelPart,
  type NotePayload,
  type PipelinePayload,
  type PushPayload,
} from './payload.ts'

/**
 * Whether an integration is told of an event that it listens to (spec administration 3.4). What a filter is about is
 * decided by the settings that an integration has; one that is tried is told of anything.
 */
export function passes(occasion: Occasion): boolean {
  if (occasion.is_test) return true
  return (
    passesAction(occasion) && passesBranch(occasion) && passesPipeline(occasion) && passesLabels(occasion)
  )
}

/** Chats hear of what becomes of issues and merge requests, not of every change. */
function passesAction(occasion: Occasion): boolean {
  const { kind, row } = occasion
  if (kind !== 'issue' && kind !== 'confidential_issue' && kind !== 'merge_request') return true
  if (catalogueOf(row.slug).family !== 'chat') return true
  return payloadOf<IssuablePayload>(occasion).object_attributes.action !== 'update'
}

function passesBranch(occasion: Occasion): boolean {
  const { settings, kind } = occasion
  if ('restrict_to_branch' in settings && kind === 'push') return isAmong(occasion)
  const choice = settings['branches_to_be_notified']
  if (!choice || choice === 'all') return true
  const branch = branchOf(occasion)
  if (branch === undefined) return true
  const isDefault = branch === occasion.project.default_branch
  if (choice === 'default') return isDefault
  return isProtected(occasion, branch) || (choice === 'default_and_protected' && isDefault)
}

function isAmong(occasion: Occasion): boolean {
  const names = listOf(occasion, 'restrict_to_branch', /,/)
  return names.length === 0 || names.includes(shortRef(payloadOf<PushPayload>(occasion).ref))
}

function isProtected({ ctx, project }: Occasion, branch: string): boolean {
  return protecting(protectionsOf(ctx.db, project.id), branch).length > 0
}

/** The branch that an event is about; undefined for tags, and where it is about none. */
function branchOf(occasion: Occasion): string | undefined {
  if (occasion.kind === 'push') return shortRef(payloadOf<PushPayload>(occasion).ref)
  if (occasion.kind === 'pipeline') {
    const { ref, tag } = payloadOf<PipelinePayload>(occasion).object_attributes
    return tag ? undefined : ref
  }
  if (occasion.kind !== 'deployment') return undefined
  const { deployment_id, ref } = payloadOf<DeploymentPayload>(occasion)
  return deploymentOf(occasion.ctx, occasion.project, deployment_id)?.tag ? undefined : ref
}

/** Of pipelines people hear when they are over, and of good ends only if they asked for them. */
function passesPipeline(occasion: Occasion): boolean {
  if (occasion.kind !== 'pipeline' || !('notify_only_broken_pipelines' in occasion.settings)) return true
  const { status } = payloadOf<PipelinePayload>(occasion).object_attributes
  return status === 'failed' || (status === 'success' && !occasion.settings['notify_only_broken_pipelines'])
}

/** `~bug, ~"needs docs"` */
const LABEL = /~?(?:"([^"]*)"|([^,\s"~][^,"~]*))/g

function passesLabels(occasion: Occasion): boolean {
  const wanted = [...textOf(occasion, 'labels_to_be_notified').matchAll(LABEL)].flatMap(
    ([, quoted, bare = '']) => (quoted ?? bare).trim() || [],
  )
  const there = labelsOf(occasion)
  if (wanted.length === 0 || there === undefined) return true
  const titles = new Set(there.map((label) => label.title))
  const matchAll = occasion.settings['labels_to_be_notified_behavior'] === 'match_all'
  return matchAll ? wanted.every((one) => titles.has(one)) : wanted.some((one) => titles.has(one))
}

/** The labels of what an event is about; undefined for events of things that have none. */
function labelsOf(occasion: Occasion): readonly LabelPart[] | undefined {
  switch (occasion.kind) {
    case 'issue':
    case 'confidential_issue':
    case 'merge_request':
      return payloadOf<IssuablePayload>(occasion).labels ?? []
    case 'note':
    case 'confidential_note': {
      const { issue, merge_request } = payloadOf<NotePayload>(occasion)
      return issue?.labels ?? merge_request?.labels ?? []
    }
    default:
      return undefined
  }
}
