import { createHash } from 'node:crypto'

import type { Json } from '../../../ci_config/index.ts'
import { formatOf, TYPES, type ArtifactType } from '../../artifacts/types.ts'
import { hashOf, textOf, textsOf } from './values.ts'

/** A set of files that a runner uploads after a job. */
interface ArtifactUpload {
  readonly name?: string | null
  readonly untracked?: boolean | null
  readonly paths: readonly string[] | null
  readonly exclude?: readonly string[]
  readonly when: string | null
  readonly expire_in: string | null
  readonly artifact_type: string
  readonly artifact_format: string
}

/** The file names of uploaded reports (spec ci 1.12). */
const NAMES: Readonly<Partial<Record<ArtifactType, string>>> = {
  junit: 'junit.xml',
  dotenv: '.env',
  cobertura: 'cobertura-coverage.xml',
  jacoco: 'jacoco-coverage.xml',
  codequality: 'gl-code-quality-report.json',
  sast: 'gl-sast-report.json',
  secret_detection: 'gl-secret-detection-report.json',
  dependency_scanning: 'gl-dependency-scanning-report.json',
  container_scanning: 'gl-container-scanning-report.json',
  cluster_image_scanning: 'gl-cluster-image-scanning-report.json',
  dast: 'gl-dast-report.json',
  license_scanning: 'gl-license-scanning-report.json',
  accessibility: 'gl-accessibility.json',
  metrics: 'metrics.txt',
  lsif: 'lsif.json',
  terraform: 'tfplan.json',
  performance: 'performance.json',
  browser_performance: 'browser-performance.json',
  load_performance: 'load-performance.json',
  cyclonedx: 'gl-sbom.cdx.json',
  coverage_fuzzing: 'gl-coverage-fuzzing.json',
  api_fuzzing: 'gl-api-fuzzing-report.json',
  requirements: 'requirements.json',
  requirements_v2: 'requirements_v2.json',
  annotations: 'gl-annotations.json',
}

const KNOWN: ReadonlySet<string> = new Set(TYPES)

/** The uploads of a job: the archive and one upload for each report (spec ci 1.8). Null if there are none. */
export function artifactUploads(value: Json): ArtifactUpload[] | null {
  if (!value) return null
  const uploads = [...archiveUpload(value), ...reportUploads(value)]
  return uploads.length > 0 ? uploads : null
}

function archiveUpload(config: NonNullable<Json>): ArtifactUpload[] {
  const paths = textsOf(config['paths'])
  const untracked = config['untracked'] === true
  if (!untracked && (paths === null || paths.length === 0)) return []
  const exclude = textsOf(config['exclude'])
  return [
    {
      name: textOf(config['name']),
      untracked,
      paths,
      ...(exclude ? { exclude } : {}),
      when: textOf(config['when']) ?? 'on_success',
      expire_in: textOf(config['expire_in']),
      artifact_type: 'archive',
      artifact_format: 'zip',
    },
  ]
}

function reportUploads(config: NonNullable<Json>): ArtifactUpload[] {
  const expire_in = textOf(config['expire_in'])
  return Object.entries(hashOf(config['reports'])).flatMap(([key, value]) => {
    const [type, paths] = reportOf(key, value)
    if (!isKnown(type) || paths === null || paths.length === 0) return []
    return [
      {
        name: NAMES[type] ?? null,
        paths,
        when: 'always',
        expire_in,
        artifact_type: type,
        artifact_format: formatOf(type),
      },
    ]
  })
}

/** The type and paths of a report. The type of a `coverage_report` is its format. */
function reportOf(key: string, value: unknown): [type: string, paths: string[] | null] {
  if (key !== 'coverage_report') return [key, textsOf(value)]
  const report = hashOf(value)
  return [textOf(report['coverage_format']) ?? '', textsOf(report['path'])]
}

function isKnown(type: string): type is ArtifactType {
  return KNOWN.has(type)
}

/** A cache of a job. */
interface CacheEntry {
  readonly key: string
  readonly untracked: boolean
  readonly policy: string
  readonly paths: readonly string[]
  readonly when: string
  readonly fallback_keys: readonly string[]
}

/** The data for the keys of caches. */
interface CacheContext {
  /** Whether jobs of protected refs have separate caches, which other jobs cannot write. */
  readonly isSeparated: boolean
  readonly isProtected: boolean
  /** The blob IDs of the key files by path. Null for missing files. */
  readonly blobs: ReadonlyMap<string, string | null>
  /** Expands the variables of the job in a text. */
  readonly expand: (text: string) => string
}

const POLICIES: ReadonlySet<string> = new Set(['pull-push', 'pull', 'push'])

/** The files with content that is part of cache keys. */
export function keyFilesOf(caches: readonly Json[]): string[] {
  return [...new Set(caches.flatMap((cache) => textsOf(hashOf(cache?.['key'])['files']) ?? []))]
}

/** The caches of a job (spec ci 1.14). Null if there are none. The runner expands variables in keys. */
export function cacheEntries(caches: readonly Json[], context: CacheContext): CacheEntry[] | null {
  const entries = caches.flatMap((cache, index) => {
    if (!cache) return []
    const suffix = suffixOf(cache, context)
    const key = keyOf(cache['key'], context, caches.length > 1 ? index : null)
    return [
      {
        key: key + suffix,
        untracked: cache['untracked'] === true,
        policy: policyOf(cache['policy'], context.expand),
        paths: textsOf(cache['paths']) ?? [],
        when: textOf(cache['when']) ?? 'on_success',
        fallback_keys: (textsOf(cache['fallback_keys']) ?? []).map((fallback) => fallback + suffix),
      },
    ]
  })
  return entries.length > 0 ? entries : null
}

function suffixOf(cache: NonNullable<Json>, context: CacheContext): string {
  if (!context.isSeparated) return ''
  return context.isProtected && cache['unprotect'] !== true ? '-protected' : '-non_protected'
}

/**
 * The key of a cache. If a job has several caches, a key from files gets the number of the cache as a prefix, so that
 * caches with the same files stay separate.
 */
function keyOf(key: unknown, { blobs }: CacheContext, index: number | null): string {
  const files = textsOf(hashOf(key)['files'])
  if (!files) return textOf(key) || 'default'
  const ids = [...new Set(files.flatMap((file) => blobs.get(file) ?? []))].toSorted()
  const digest = ids.length > 0 ? createHash('sha1').update(ids.join('-')).digest('hex') : 'default'
  const prefix = textOf(hashOf(key)['prefix'])
  return (index === null ? '' : `${index}_`) + (prefix ? `${prefix}-` : '') + digest
}

/** The policy of a cache, which may be a variable. Runners know only three policies. */
function policyOf(value: unknown, expand: CacheContext['expand']): string {
  const policy = expand(textOf(value) ?? '')
  return POLICIES.has(policy) ? policy : 'pull-push'
}

/** The image of a job (spec ci 1.8). The runner expands variables in its name. */
interface Image {
  readonly name: string
  readonly entrypoint?: readonly string[]
  readonly ports: readonly unknown[]
  readonly pull_policy?: readonly string[]
  readonly executor_opts?: Readonly<Record<string, unknown>>
}

interface Service extends Image {
  readonly alias: string | null
  readonly command?: readonly string[]
  readonly variables: readonly { readonly key: string; readonly value: string }[]
}

/** `image:` of a job, or null. */
export function imageOf(value: Json): Image | null {
  const name = textOf(value?.['name'])
  if (!value || name === null) return null
  const entrypoint = textsOf(value['entrypoint'])
  const pull_policy = textsOf(value['pull_policy'])
  const executor_opts = executorOptions(value)
  return {
    name,
    ...(entrypoint ? { entrypoint } : {}),
    ports: [],
    ...(pull_policy ? { pull_policy } : {}),
    ...(executor_opts ? { executor_opts } : {}),
  }
}

/** `services:` of a job. */
export function servicesOf(values: readonly Json[]): Service[] {
  return values.flatMap((value) => {
    const image = imageOf(value)
    if (!image) return []
    const command = textsOf(value!['command'])
    const variables = Object.entries(hashOf(value!['variables'])).map(([key, value]) => ({
      key,
      value: textOf(value) ?? textOf(hashOf(value)['value']) ?? '',
    }))
    return [{ ...image, alias: textOf(value!['alias']), ...(command ? { command } : {}), variables }]
  })
}

/** The executor options of an image. Only keys that runners know are sent, because runners fail jobs with other keys. */
function executorOptions(config: NonNullable<Json>): Readonly<Record<string, unknown>> | null {
  const optionNames = { docker: ['platform', 'user'], kubernetes: ['user'] }
  const options = Object.entries(optionNames).flatMap(([executor, keys]) => {
    const pairs = keys.flatMap((key) => {
      const value = textOf(hashOf(config[executor])[key])
      return value === null ? [] : [[key, value] as const]
    })
    return pairs.length > 0 ? [[executor, Object.fromEntries(pairs)] as const] : []
  })
  return options.length > 0 ? Object.fromEntries(options) : null
}
