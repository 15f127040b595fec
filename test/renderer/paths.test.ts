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

describe('the address of an owner', () => {
  it('ends where its parts begin', () => {
    expect(splitPath('/group/sub/project/-/tree/main/src')).toEqual({
      full_path: 'group/sub/project',
      rest: 'tree/main/src',
    })
    expect(splitPath('/group/project/')).toEqual({ full_path: 'group/project', rest: '' })
    expect(splitPath('/group/project/-')).toEqual({ full_path: 'group/project', rest: '' })
  })

  it('ends at the first separator, also when a file path has another', () => {
    expect(splitPath('/a/b/-/blob/main/x/-/tree/y')).toEqual({
      full_path: 'a/b',
      rest: 'blob/main/x/-/tree/y',
    })
  })

  it('is not asked for when it cannot exist', () => {
    expect(isFullPath('group/project.name')).toBe(true)
    expect(isFullPath('group//project')).toBe(false)
    expect(isFullPath('-leading')).toBe(false)
    expect(isFullPath('with space')).toBe(false)
  })

  it('is found in addresses without a separator', () => {
    expect(olderAddress('/group/sub/project/issues/1')).toBe('/group/sub/project/-/issues/1')
    expect(olderAddress('/root/tern/compare/v1.0.0...v1.1.0')).toBe('/root/tern/-/compare/v1.0.0...v1.1.0')
    expect(olderAddress('/root/issues')).toBeNull()
    expect(olderAddress('/root/tern/-/issues/1')).toBeNull()
    expect(olderAddress('/root/tern/wherever')).toBeNull()
  })

  it('names each step down to it', () => {
    expect(ancestry('a/b')).toEqual([
      { name: 'a', full_path: 'a' },
      { name: 'b', full_path: 'a/b' },
    ])
  })

  it('keeps slashes of a ref and encodes what would cut the address', () => {
    expect(projectUrl('a/b', 'tree/feature/#1')).toBe('/a/b/-/tree/feature/%231')
    expect(projectUrl('a/b')).toBe('/a/b')
  })
})

describe('the path that a name gets', () => {
  it.each([
    ['My first project', 'my-first-project'],
    ['Ünïcode  & more!', 'unicode-more'],
    ['...dots.git', 'dots'],
    ['snake_case 2.0', 'snake_case-2.0'],
    ['Prøject Straße', 'project-strasse'],
    ['---', ''],
  ])('turns %j into %j', (name, path) => {
    expect(slug(name)).toBe(path)
  })
})

describe('the routes of the window', () => {
  const router = createRouter({ history: createMemoryHistory(), routes: allRoutes() })
  const paramsOf = (path: string) => router.resolve(path).params

  it('gives everything that is not a fixed address to the owner of its path', () => {
    expect(paramsOf('/group/sub/project')).toEqual({ full_path: 'group/sub/project' })
    expect(router.resolve('/projects/new').matched[0]?.path).toBe('/projects/new')
    expect(router.resolve('/projects/new').params).toEqual({})
  })

  it('finds the parts of a project at any depth', () => {
    const commits = router.resolve('/group/sub/project/-/commits/main')
    expect(commits.params.full_path).toBe('group/sub/project')
    expect(commits.matched).toHaveLength(2)
  })

  it('has a page for unknown parts of a project', () => {
    expect(paramsOf('/a/b/-/nowhere/at/all')).toMatchObject({ full_path: 'a/b', unknown: 'nowhere/at/all' })
  })

  it('opens a group by its own address', () => {
    expect(paramsOf('/groups/a/b')).toEqual({ full_path: 'a/b' })
    expect(router.resolve('/groups/new').params).toEqual({})
  })
})

describe('where a visitor has to go first', () => {
  const to = (path: string, open = false) => ({ path, fullPath: path, meta: { open } })
  const session = { instance: {} } as never
  const someone = { id: 1 } as never

  it('is the first run, as long as nobody has set the instance up', () => {
    const fresh = { session, firstRun: true, user: null }
    expect(detour(to('/'), fresh)).toBe('/-/first_run')
    expect(detour(to('/-/first_run', true), fresh)).toBe(true)
  })

  it('is the sign-in, which brings back to the wanted page', () => {
    const signedOut = { session, firstRun: false, user: null }
    expect(detour(to('/projects?page=2'), signedOut)).toEqual({
      path: '/users/sign_in',
      query: { redirect: '/projects?page=2' },
    })
    expect(detour(to('/'), signedOut)).toEqual({ path: '/users/sign_in', query: {} })
  })

  it('is nowhere for open pages and for who is signed in', () => {
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
  ])('for %j is %j', (wanted, page) => {
    expect(safeRedirect(wanted)).toBe(page)
  })
})
