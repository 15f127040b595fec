import type { Json } from '../../../ci_config/index.ts'
import { formatOf, TYPES, type ArtifactType } from '../../artifacts/types.ts'
import { hashOf, textOf, textsOf } from './values.ts'

/** Files that a runner uploads after a job. */
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

/** File names of uploaded reports (spec ci 1.12). */
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

/** The archive of a job, and one entry for each of its reports; null without any (spec ci 1.8). */
export function artifactUploads(given: Json): ArtifactUpload[] | null {
  if (!given) return null
  const orders = [...archive(given), ...reports(given)]
  return orders.length > 0 ? orders : null
}

function archive(given: NonNullable<Json>): ArtifactUpload[] {
  const paths = textsOf(given['paths'])
  const untracked = given['untracked'] === true
  if (!untracked && (paths === null || paths.length === 0)) return []
  const exclude = textsOf(given['exclude'])
  return [
    {
      name: textOf(given['name']),
      untracked,
      paths,
      ...(exclude ? { exclude } : {}),
      when: textOf(given['when']) ?? 'on_success',
      expire_in: textOf(given['expire_in']),
      artifact_type: 'archive',
      artifact_format: 'zip',
    },
  ]
}

function reports(given: NonNullable<Json>): ArtifactUpload[] {
  const expire_in = textOf(given['expire_in'])
  return Object.entries(hashOf(given['reports'])).flatMap(([key, value]) => {
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

/** `coverage_report` contains its format. */
function reportOf(key: string, value: unknown): [type: string, paths: string[] | null] {
  if (key !== 'coverage_report') return [key, textsOf(value)]
  const report = hashOf(value)
  return [textOf(report['coverage_format']) ?? '', textsOf(report['path'])]
}

function isKnown(type: string): type is ArtifactType {
  return KNOWN.has(type)
}
