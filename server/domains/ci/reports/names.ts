const COPY = /[\s:]+\d+[\s:/\\]+\d+\s*$/

/**
 * Name under which the tests of a job are told: copies of one job (`rspec 1/3`) share one, those of a matrix do not
 * (spec ci 2.12).
 */
export function suiteName(job: { readonly name: string; readonly in_matrix: boolean }): string {
  return job.in_matrix ? job.name : job.name.replace(COPY, '').trim() || job.name
}
