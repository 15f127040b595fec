import { describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import {
  ancestry,
  isFullPath,
  olderAddress,
  projectUrl,
  splitPath,
} from '../../renderer/composables/paths.ts'
import { slug } from '../../renderer/composables/slug.ts'
import { allRoutes, detour } from '../../renderer/router.ts'
import { safeRedirect } from '../../renderer/views/session/redirect.ts'

describe('the URL of an owner', () => {
  it('ends at the separator', () => {
    expect(splitPath('/group/sub/project/-/tree/main/src')).toEqual({
      full_path: 'group/sub/project',
      rest: 'tree/main/src',
    })
    expect(splitPath('/group/project/')).toEqual({ full_path: 'group/project', rest: '' })
    expect(splitPath('/group/project/-')).toEqual({ full_path: 'group/project', rest: '' })
  })

  it('ends at the first separator, also if a file path has another one', () => {
    expect(splitPath('/a/b/-/blob/main/x/-/tree/y')).toEqual({
      full_path: 'a/b',
      rest: 'blob/main/x/-/tree/y',
    })
  })

  it('is not requested if its path is invalid', () => {
    expect(isFullPath('group/project.name')).toBe(true)
    expect(isFullPath('group//project')).toBe(false)
    expect(isFullPath('-leading')).toBe(false)
    expect(isFullPath('with space')).toBe(false)
  })

  it('is found in older URLs without a separator', () => {
    expect(olderAddress('/group/sub/project/issues/1')).toBe('/group/sub/project/-/issues/1')
    expect(olderAddress('/root/tern/compare/v1.0.0...v1.1.0')).toBe('/root/tern/-/compare/v1.0.0...v1.1.0')
    expect(olderAddress('/root/issues')).toBeNull()
    expect(olderAddress('/root/tern/-/issues/1')).toBeNull()
    expect(olderAddress('/root/tern/wherever')).toBeNull()
  })

  it('has each parent namespace', () => {
    expect(ancestry('a/b')).toEqual([
      { name: 'a', full_path: 'a' },
      { name: 'b', full_path: 'a/b' },
    ])
  })

  it('keeps slashes of a ref and encodes reserved characters', () => {
    expect(projectUrl('a/b', 'tree/feature/#1')).toBe('/a/b/-/tree/feature/%231')
    expect(projectUrl('a/b')).toBe('/a/b')
  })
})

describe('the path that a name suggests', () => {
  it.each([
    ['My first project', 'my-first-project'],
    ['Ünïcode  & more!', 'unicode-more'],
    ['...dots.git', 'dots'],
    ['snake_case 2.0', 'snake_case-2.0'],
    ['Prøject Straße', 'project-strasse'],
    ['---', ''],
  ])('for %j is %j', (name, path) => {
    expect(slug(name)).toBe(path)
  })
})

describe('the routes of the window', () => {
  const router = createRouter({ history: createMemoryHistory(), routes: allRoutes() })
  const paramsOf = (path: string) => router.resolve(path).params

  it('assign every path that is not fixed to its owner', () => {
    expect(paramsOf('/group/sub/project')).toEqual({ full_path: 'group/sub/project' })
    expect(router.resolve('/projects/new').matched[0]?.path).toBe('/projects/new')
    expect(router.resolve('/projects/new').params).toEqual({})
  })

  it('find the pages of a project at any depth', () => {
    const commits = router.resolve('/group/sub/project/-/commits/main')
    expect(commits.params.full_path).toBe('group/sub/project')
    expect(commits.matched).toHaveLength(2)
  })

  it('have a page for unknown pages of a project', () => {
    expect(paramsOf('/a/b/-/nowhere/at/all')).toMatchObject({ full_path: 'a/b', unknown: 'nowhere/at/all' })
  })

  it('open a group by its own URL', () => {
    expect(paramsOf('/groups/a/b')).toEqual({ full_path: 'a/b' })
    expect(router.resolve('/groups/new').params).toEqual({})
  })
})

describe('the page that a visitor is redirected to', () => {
  const to = (path: string, open = false) => ({ path, fullPath: path, meta: { open } })
  const session = { instance: {} } as never
  const someone = { id: 1 } as never

  it('is the first run, until the instance is set up', () => {
    const fresh = { session, firstRun: true, user: null }
    expect(detour(to('/'), fresh)).toBe('/-/first_run')
    expect(detour(to('/-/first_run', true), fresh)).toBe(true)
  })

  it('is the sign-in, which returns to the requested page', () => {
    const signedOut = { session, firstRun: false, user: null }
    expect(detour(to('/projects?page=2'), signedOut)).toEqual({
      path: '/users/sign_in',
      query: { redirect: '/projects?page=2' },
    })
    expect(detour(to('/'), signedOut)).toEqual({ path: '/users/sign_in', query: {} })
  })

  it('is none for open pages and for signed-in users', () => {
    expect(detour(to('/a/b', true), { session, firstRun: false, user: null })).toBe(true)
    expect(detour(to('/projects'), { session, firstRun: false, user: someone })).toBe(true)
  })
})

describe('the page after signing in', () => {
  it.each([
    ['/projects?page=2', '/projects?page=2'],
    ['//evil.test/x', '/'],
    ['/\\evil.test', '/'],
    ['https://evil.test', '/'],
    ['/users/sign_in', '/'],
    [undefined, '/'],
  ])('for %j is %j', (target, page) => {
    expect(safeRedirect(target)).toBe(page)
  })
})
