import { describe, expect, it } from 'vitest'
import { jobToShow, layersOf, overCount, type GraphJob } from '../../renderer/views/pipelines/pipeline.ts'

const job = (name: string, status: string, more: object = {}) =>
  ({ id: 1, name, status, allow_failure: false, needs: null, ...more }) as unknown as GraphJob
const stage = (...jobs: GraphJob[]) => ({ name: 'stage', jobs }) as never

describe('the jobs of a stage', () => {
  it('count as finished when they have ended, but not when they were skipped', () => {
    expect(overCount([job('unit', 'success'), job('lint', 'failed'), job('deploy', 'skipped')])).toBe(2)
    expect(overCount([job('deploy', 'skipped'), job('publish', 'manual')])).toBe(0)
  })

  it('have the failed one first, unless it may fail', () => {
    const may = job('lint', 'failed', { allow_failure: true })
    expect(jobToShow([job('unit', 'success'), may, job('build', 'running')])?.name).toBe('build')
    expect(jobToShow([may, job('unit', 'failed')])?.name).toBe('unit')
  })
})

describe('the graph of needs', () => {
  it('draws a job without needs after all jobs of the earlier stage', () => {
    const layers = layersOf([
      stage(job('compile', 'success'), job('lint', 'success', { needs: [] })),
      stage(job('unit', 'success'), job('quick', 'success', { needs: ['lint'] })),
      stage(job('publish', 'manual')),
    ])
    expect(layers.map((layer) => layer.map(({ name }) => name))).toEqual([
      ['compile', 'lint'],
      ['unit', 'quick'],
      ['publish'],
    ])
  })
})
