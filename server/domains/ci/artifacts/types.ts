/** The formats of uploaded artifacts (spec ci 1.12). */
export const FORMATS = ['zip', 'gzip', 'raw'] as const
export type Format = (typeof FORMATS)[number]

const BY_FORMAT = {
  zip: ['archive', 'lsif', 'scip'],
  gzip: [
    'metadata',
    'junit',
    'metrics',
    'metrics_referee',
    'network_referee',
    'dotenv',
    'cobertura',
    'cluster_applications',
    'cyclonedx',
    'annotations',
    'jacoco',
    'repository_xray',
  ],
  raw: [
    'sast',
    'secret_detection',
    'dependency_scanning',
    'container_scanning',
    'cluster_image_scanning',
    'dast',
    'license_scanning',
    'accessibility',
    'codequality',
    'performance',
    'browser_performance',
    'load_performance',
    'terraform',
    'requirements',
    'requirements_v2',
    'coverage_fuzzing',
    'api_fuzzing',
    'sarif',
  ],
} as const

/** The type of an artifact. Logs have a type of their own (`TRACE`). */
export type ArtifactType = (typeof BY_FORMAT)[Format][number]

/** All file types that runners send. */
export const TYPES = FORMATS.flatMap((format) => [...BY_FORMAT[format]]) as [ArtifactType, ...ArtifactType[]]

const formats = new Map<string, Format>(
  FORMATS.flatMap((format) => BY_FORMAT[format].map((type) => [type, format] as const)),
)

/** The format of each file type. */
export function formatOf(type: ArtifactType): Format {
  return formats.get(type)!
}

/** The file type of a log, which only the instance stores. */
export const TRACE = 'trace'

/**
 * The access levels of artifacts. `public`: everybody who can read the job. `private` and `developer`: developers and
 * higher roles. `maintainer`: maintainers and higher roles. `none`: nobody.
 */
export const ACCESSIBILITY = ['public', 'private', 'developer', 'maintainer', 'none'] as const
export type Accessibility = (typeof ACCESSIBILITY)[number]

const MB = 1024 * 1024

/** The size limits of file types in bytes. They apply if they are lower than the general limit. */
const LIMITS: Readonly<Record<string, number>> = { lsif: 100 * MB, terraform: 5 * MB }

/** The size limit of a file type in bytes. `general` is the limit of the instance in MB. */
export function limitOf(type: string, general: number): number {
  const limit = Object.hasOwn(LIMITS, type) ? LIMITS[type]! : Infinity
  return Math.min(limit, general * MB)
}
