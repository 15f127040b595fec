/** The fields of a job that the runner uses, as the instance sends them (spec ci 1.7, 1.8). */
export interface JobPayload {
  readonly id: number
  readonly token: string
  readonly job_info: { readonly name: string; readonly stage: string; readonly project_id: number }
  readonly git_info: {
    readonly repo_url: string
    readonly ref: string
    readonly sha: string
    readonly refspecs: readonly string[]
    readonly depth: number
  }
  readonly runner_info: { readonly timeout: number }
  readonly variables: readonly PayloadVariable[]
  readonly steps: readonly PayloadStep[]
  readonly artifacts: readonly ArtifactUpload[] | null
  readonly cache: readonly CacheEntry[] | null
  readonly dependencies: readonly Dependency[]
  readonly hooks?: readonly { readonly name: string; readonly script: readonly string[] }[]
}

export interface PayloadVariable {
  readonly key: string
  readonly value: string
  readonly masked?: boolean
  readonly file?: boolean
  readonly raw?: boolean
}

export interface PayloadStep {
  readonly name: string
  readonly script: readonly string[]
  readonly when: string
}

export interface ArtifactUpload {
  readonly name?: string | null
  readonly untracked?: boolean | null
  readonly paths: readonly string[] | null
  readonly exclude?: readonly string[]
  readonly when: string | null
  readonly expire_in: string | null
  readonly artifact_type: string
  readonly artifact_format: string
}

export interface CacheEntry {
  readonly key: string
  readonly untracked: boolean
  readonly policy: string
  readonly paths: readonly string[]
  readonly when: string
  readonly fallback_keys?: readonly string[]
}

export interface Dependency {
  readonly id: number
  readonly name: string
  readonly token: string
  readonly artifacts_file?: { readonly filename: string; readonly size: number }
}
