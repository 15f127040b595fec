import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import { root } from '../support/server-process.ts'

interface Step {
  readonly run?: string
  readonly if?: string
  readonly with?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly uses?: string
}
interface Job {
  readonly needs?: string
  readonly permissions?: object
  readonly env?: Readonly<Record<string, string>>
  readonly steps: Step[]
}
interface Workflow {
  readonly permissions?: object
  readonly defaults?: { readonly run: { readonly shell: string } }
  readonly jobs: Record<string, Job>
}

const scripts = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
).scripts

describe('the workflows for GitHub', () => {
  const files = globSync('.github/workflows/*.yml', { cwd: root }).sort()
  const read = (file: string) => parse(readFileSync(join(root, file), 'utf8')) as Workflow

  it('are one for changes, and one for releases', () => {
    expect(files).toEqual(['.github/workflows/check.yml', '.github/workflows/release.yml'])
  })

  it.each(files)('audit all dependencies before anything is built or tested: %s', (file) => {
    const [steps] = Object.values(read(file).jobs).map((job) => job.steps.flatMap(({ run }) => run ?? []))
    const at = (text: string) => steps?.findIndex((run) => run.includes(text)) ?? -1
    // The bundles contain `devDependencies`, so none may be omitted.
    expect(steps?.[at('npm audit')]).toBe('npm audit --audit-level=high')
    expect(at('npm ci')).toBeLessThan(at('npm audit'))
    const later = ['npm test', 'npm run test:e2e', 'npm run pack'].map(at).filter((index) => index >= 0)
    expect(Math.min(...later)).toBeGreaterThan(at('npm audit'))
  })

  it.each(files)('run existing scripts, and declare their permissions: %s', (file) => {
    const { jobs, permissions } = read(file)
    expect(permissions).toBeDefined()
    const runs = Object.values(jobs).flatMap((job) => job.steps.flatMap(({ run }) => run ?? []))
    const named = runs.flatMap((run) => [...run.matchAll(/npm (?:run )?(?!ci\b|audit\b|run\b)([\w:]+)/g)])
    expect(named.length).toBeGreaterThan(0)
    for (const [, name = ''] of named) expect(scripts, name).toHaveProperty([name])
  })

  it('try the packed application before it is published', () => {
    const { build, publish } = read('.github/workflows/release.yml').jobs
    const steps = build?.steps ?? []
    const at = (...texts: string[]) =>
      steps.findIndex(({ run }) => texts.every((text) => run?.includes(text)))
    const journeys = at('npm run test:e2e', '--project shell')
    expect(steps[journeys]?.env).toMatchObject({ DESKFORGE_PACKED: '1' })
    expect(at('npm run pack', '--config.directories.output=packed')).toBeLessThan(journeys)
    const launched = at('node scripts/launch-packed.mjs release')
    expect(steps[launched - 1]?.run).toBe('npm run pack -- ${{ matrix.args }}')
    expect(steps.findIndex(({ uses }) => uses?.includes('upload-artifact'))).toBeGreaterThan(launched)
    expect(publish?.needs).toBe('build')
  })

  it('use one shell everywhere, and give each system its own certificate', () => {
    const { defaults, permissions, jobs } = read('.github/workflows/release.yml')
    expect(defaults?.run.shell).toBe('bash')
    expect(permissions).toEqual({ contents: 'read' })
    expect(jobs['publish']?.permissions).toEqual({ contents: 'write' })
    const { CSC_LINK, WIN_CSC_LINK } = jobs['build']?.env ?? {}
    expect(CSC_LINK).toContain("startsWith(matrix.os, 'macos')")
    expect(WIN_CSC_LINK).toBe('${{ secrets.WIN_CSC_LINK }}')
  })

  it('upload each file from one system', () => {
    const { build } = read('.github/workflows/release.yml').jobs
    const uploads = build?.steps.filter(({ uses }) => uses?.includes('upload-artifact')) ?? []
    const [each, once] = uploads.map((step) => step.with?.['path']?.trim().split('\n') ?? [])
    expect(uploads.map((step) => step.if)).toEqual([undefined, "runner.os == 'Linux'"])
    expect(once).toEqual(['release/components.cdx.json', 'release/release-notes.md'])
    // The names of these files contain the system.
    expect(
      each?.every((path) =>
        /^release\/(\*\.(exe|zip|dmg|deb|rpm|AppImage|tar\.gz)|latest\*\.yml)$/.test(path),
      ),
    ).toBe(true)
  })

  it('run all journeys of the shell for every change', () => {
    const runs = Object.values(read('.github/workflows/check.yml').jobs).flatMap(({ steps }) =>
      steps.map(({ run }) => run),
    )
    expect(runs).toContain('npm run test:e2e -- --project shell --grep-invert @core')
  })
})
