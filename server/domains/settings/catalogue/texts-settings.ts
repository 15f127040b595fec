import { decimal, flag, line, oneNumberOf, oneOf, prose, whole } from './params-kinds.ts'
import { switches } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Texts, pages and small habits of the window. */
export const texts = {
  sign_in_text: prose(
    null,
    'Text on the sign-in page',
    'For instance whose instance this is and whom to ask.',
    { empty: 'none' },
  ),
  after_sign_up_text: prose(null, 'Text after signing up', 'What happens next.', { empty: 'none' }),
  after_sign_out_path: line(null, 'Page after signing out', 'An address or a path.', {
    empty: 'the sign-in page',
    max: 1024,
  }),
  home_page_url: line(null, 'Page for visitors', 'Who is not signed in is led there from the start page.', {
    empty: 'the sign-in page',
    max: 1024,
  }),
  help_page_text: prose(null, 'Text on the help page', 'Above everything else.', { empty: 'none' }),
  help_text: prose(null, 'Further text on the help page', 'An older form.', { empty: 'none' }),
  help_page_support_url: line(null, 'Address for support', 'On the help page and after problems.', {
    empty: 'none',
    max: 1024,
  }),
  help_page_documentation_base_url: line(null, 'Address of the documentation', 'Links to it lead there.', {
    empty: 'the instance',
  }),
  help_page_hide_commercial_content: flag(false, 'No advertisements on the help page', 'There are none.', {
    effect: 'echo',
  }),
  hide_third_party_offers: flag(false, 'No offers of others', 'There are none.', { effect: 'echo' }),
  whats_new_variant: oneOf(
    { all_tiers: 'Everything', current_tier: 'What this instance has', disabled: 'Nothing' },
    'all_tiers',
    'What’s new shows',
    'The list of changes of new releases in the window.',
  ),
  first_day_of_week: oneNumberOf(
    [
      [0, 'Sunday'],
      [1, 'Monday'],
      [6, 'Saturday'],
    ],
    0,
    'A week begins on',
    'In calendars; users may choose for themselves.',
  ),
  time_tracking_limit_to_hours: flag(
    false,
    'Times are said in hours',
    'Otherwise in weeks, days, hours and minutes.',
  ),
  default_syntax_highlighting_theme: whole(1, 'Colours of code for new users', 'A number of the theme.', {
    min: 1,
    max: 100,
  }),
  local_markdown_version: whole(0, 'Version of rendered texts', 'A higher one renders all texts anew.', {
    min: 0,
    max: 65_535,
  }),
  polling_interval_multiplier: decimal(
    1,
    'Times between looking again',
    'Pages that look for changes wait so many times longer; 0 stops them.',
    { min: 0 },
  ),
  security_txt_content: prose(null, 'Text for those who find a weakness', 'At /.well-known/security.txt.', {
    empty: 'none',
  }),
  floc_enabled: flag(
    false,
    'Browsers may group people by what they read',
    'Otherwise pages tell them not to.',
  ),
  asciidoc_max_includes: whole(
    32,
    'Files that an AsciiDoc text includes',
    'This application includes none, so that no text reaches files of others.',
    { min: 0, max: 64, effect: 'echo' },
  ),
  wiki_asciidoc_allow_uri_includes: flag(
    false,
    'AsciiDoc pages of wikis include addresses',
    'The instance would ask them.',
    { effect: 'echo' },
  ),
  diagramA_enabled: flag(
    false,
    'Diagrams of texts are drawn by a server',
    'Code blocks in the language of this family of diagrams become pictures.',
    { needs: ['diagramA_url'] },
  ),
  diagramA_url: line(null, 'Address of that server', 'The window asks it for pictures.', {
    empty: 'none',
    max: 1024,
  }),
  kroki_enabled: flag(
    false,
    'Other diagrams of texts are drawn by a Kroki server',
    'Code blocks in its languages become pictures.',
    { needs: ['kroki_url'] },
  ),
  kroki_url: line(null, 'Address of the Kroki server', 'The window asks it for pictures.', {
    empty: 'none',
    max: 1024,
  }),
  kroki_formats: switches(
    ['blockdiag', 'bpmn', 'excalidraw', 'mermaid'],
    'Further languages of that server',
    'Those that need programs beside it.',
    { below: 'kroki_enabled' },
  ),
} satisfies Record<string, Setting>
