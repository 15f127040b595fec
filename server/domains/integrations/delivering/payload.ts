import type { Delivery } from './channel.ts'

// The parts of payloads that messages use (spec administration 3.8 and 3.9).

export interface UserPart {
  readonly name: string
  readonly username: string
  readonly avatar_url: string | null
}

export interface ProjectPart {
  readonly id: number
  readonly name: string
  readonly web_url: string
  readonly path_with_namespace: string
  readonly avatar_url: string | null
}

export interface CommitPart {
  readonly id: string
  readonly message: string
  readonly title: string
  readonly url: string
  readonly author: { readonly name: string; readonly email: string }
}

export interface PushPayload {
  readonly before: string
  readonly after: string
  readonly ref: string
  /** Null for deploy keys and deploy tokens. */
  readonly user_name: string | null
  readonly user_username: string | null
  readonly user_email: string | null
  readonly user_avatar: string | null
  readonly project: ProjectPart
  readonly commits: readonly CommitPart[]
  readonly total_commits_count: number
}

export interface LabelPart {
  readonly title: string
}

/** An issue or merge request inside another event. */
export interface SubjectPart {
  readonly iid: number
  readonly title: string
  readonly labels?: readonly LabelPart[]
}

export interface IssuablePayload {
  readonly user: UserPart | null
  readonly labels?: readonly LabelPart[]
  readonly object_attributes: SubjectPart & {
    readonly url: string
    readonly state: string
    readonly description: string | null
    readonly action?: string
  }
}

export interface MergeRequestPayload extends IssuablePayload {
  readonly object_attributes: IssuablePayload['object_attributes'] & {
    readonly source_branch: string
    readonly target_branch: string
    readonly last_commit: CommitPart | null
    /** The previous head, for events about new commits. */
    readonly oldrev?: string | null
  }
  readonly changes?: Readonly<Record<string, { readonly previous: unknown; readonly current: unknown }>>
}

export interface NotePayload {
  readonly user: UserPart | null
  readonly object_attributes: {
    readonly note: string
    readonly noteable_type: string
    readonly url: string
  }
  readonly commit?: CommitPart
  readonly issue?: SubjectPart
  readonly merge_request?: SubjectPart
  readonly snippet?: { readonly id: number; readonly title: string }
}

export interface BuildPart {
  readonly id: number
  readonly stage: string
  readonly name: string
  readonly status: string
  readonly allow_failure: boolean
}

export interface PipelinePayload {
  readonly object_attributes: {
    readonly id: number
    readonly ref: string
    readonly tag: boolean
    readonly sha: string
    readonly status: string
    readonly detailed_status: string
    readonly duration: number | null
    readonly finished_at: string | null
    readonly url?: string
  }
  readonly user: UserPart | null
  readonly project: ProjectPart
  readonly commit: CommitPart | null
  readonly builds: readonly BuildPart[]
}

export interface WikiPagePayload {
  readonly user: UserPart | null
  readonly object_attributes: {
    readonly title: string
    readonly slug: string
    readonly message: string | null
    readonly url: string
    readonly diff_url?: string
    readonly action: string
  }
}

export interface DeploymentPayload {
  readonly status: string
  readonly deployment_id: number
  readonly deployable_id: number | null
  readonly deployable_url: string | null
  readonly environment: string
  readonly user: UserPart | null
  readonly user_url: string | null
  readonly short_sha: string
  readonly commit_url: string | null
  readonly commit_title: string | null
  readonly ref: string
}

/** Returns the payload of a delivery, with the type of its kind. */
export function payloadOf<Payload>({ payload }: Pick<Delivery, 'payload'>): Payload {
  return payload as Payload
}

/** True if a commit ID is all zeros, because the ref was created or deleted. */
export const isBlank = (sha: string): boolean => /^0+$/.test(sha)

/** The short name of a branch or tag. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '')

/** The name of the user who pushed. */
export const pusherOf = ({ user_name }: Pick<PushPayload, 'user_name'>): string => user_name ?? 'Someone'
