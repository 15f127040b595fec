/** Formats in which files of jobs arrive (spec ci 1.12). */
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

/** Kind of a file that a job leaves, other than its log. */
export type ArtifactType = (typeof BY_FORMAT)[Format][number]

/** All kinds that a runner may send. */
export const TYPES = FORMATS.flatMap((format) => [...BY_FORMAT[format]]) as [ArtifactType, ...ArtifactType[]]

const formats = new Map<string, Format>(
  FORMATS.flatMap((format) => BY_FORMAT[format].map((type) => [type, format] as const)),
)

/** The one format of a kind. */
export function formatOf(type: ArtifactType): Format {
  return formats.get(type)!
}

/** Kind of the log, which only the instance itself stores. */
export const TRACE = 'trace'

/** Who may fetch the files: whoever may see the job, members from developer on, members from maintainer on, nobody. */
export const ACCESSIBILITY = ['public', 'private', 'developer', 'maintainer', 'none'] as const
export type Accessibility = (typeof ACCESSIBILITY)[number]

const MB = 1024 * 1024

/** Kinds with a limit of their own, bytes; it counts where it is the smaller one. */
const LIMITS: Readonly<Record<string, number>> = { lsif: 100 * MB, terraform: 5 * MB }

/** Largest file of a kind, bytes; `general` is the limit of the instance, MB. */
export function limitOf(type: string, general: number): number {
  const own = Object.hasOwn(LIMITS, type) ? LIMITS[type]! : Infinity
  return Math.min(own, general * MB)
}
