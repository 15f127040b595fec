import type { OwnCertificate } from '../../../../lib/net/own-certificate.ts'
import type { InstanceClient } from '../client.ts'
import type { JobPayload } from '../payload.ts'
import type { Trace } from './trace.ts'
import type { JobVariables } from './variables.ts'
import type { Workspace } from './workspace.ts'

/** All that the parts of a run need. */
export interface RunContext {
  readonly client: InstanceClient
  readonly certificate: OwnCertificate | undefined
  readonly payload: JobPayload
  readonly workspace: Workspace
  readonly variables: JobVariables
  readonly trace: Trace
  readonly shell: string
  /** Folder of the caches of the project. */
  readonly caches: string
  /** Environment of the job's programs. */
  readonly env: Record<string, string>
  /** Aborted when the job has to stop. */
  readonly signal: AbortSignal
}

/** What keeps a job from being run, in words for its log. It is no fault of the job's own commands. */
export class RunProblem extends Error {
  readonly reason: string

  constructor(message: string, reason = 'runner_system_failure') {
    super(message)
    this.name = 'RunProblem'
    this.reason = reason
  }
}
