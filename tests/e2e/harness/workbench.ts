/** The workbench as a person uses it: opens files, runs commands, reads what is shown. */

import assert from 'node:assert/strict';
import type { Frame, Locator, Page } from 'playwright-core';

const SHORT_MS = 30_000;

/** A row of a tree as it is shown. */
export interface Row {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  readonly level: number;
}

export class Workbench {
  readonly page: Page;
  readonly folder: string;

  constructor(page: Page, folder: string) {
    this.page = page;
    this.folder = folder;
  }

  static async open(page: Page, url: string, folder: string, options: { bare?: boolean } = {}): Promise<Workbench> {
    await page.goto(`${url}/?folder=${encodeURI(folder)}`);
    await page.locator('.part.statusbar').waitFor({ timeout: 60_000 });
    if (options.bare !== true) {
      await page.locator('[id$="milepost.status"]').waitFor({ timeout: 60_000 });
    }
    return new Workbench(page, folder);
  }

  // Doing

  /** Open a file by its name, as Ctrl+P does. */
  async openFile(name: string): Promise<void> {
    await this.#quickly(async () => {
      await this.page.keyboard.press('Control+P');
      await this.#type(name);
      await this.page
        .locator('.quick-input-list .monaco-list-row', { hasText: name })
        .first()
        .waitFor({ timeout: 5_000 });
      await this.page.keyboard.press('Enter');
    });
    await this.tab(name).waitFor({ timeout: SHORT_MS });
  }

  /** Run a command by its title, as the palette does. */
  async command(title: string): Promise<void> {
    await this.#quickly(async () => {
      await this.page.keyboard.press('F1');
      await this.#type(`>${title}`);
      const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
      await row.waitFor({ timeout: 5_000 });
      await row.click();
    });
    // What the command asks for comes in the palette's place: keys pressed before that would go to the palette.
    const palette = this.page.locator('.quick-input-widget:visible input.input');
    await this.until(
      async () => (await palette.count()) === 0 || (await palette.inputValue({ timeout: 500 })) !== `>${title}`,
      'the palette gone',
    );
  }

  /** Wait for an input box that holds a text. */
  async seesInput(text: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget:visible input.input');
    await this.until(async () => (await input.inputValue({ timeout: 500 })) === text, `an input box with “${text}”`);
  }

  /** The quick input may close under one's hands while the workbench still starts: once more then. */
  async #quickly(work: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await work();
        return;
      } catch (error) {
        if (attempt === 3) {
          throw error;
        }
        await this.page.keyboard.press('Escape');
        await this.page.waitForTimeout(500);
      }
    }
  }

  async #type(text: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget:visible input.input');
    await input.waitFor({ timeout: 5_000 });
    await input.fill(text);
  }

  /** Type into the input box or list that is open, and press Enter. */
  async answer(text: string): Promise<void> {
    await this.#type(text);
    await this.page.waitForTimeout(250);
    await this.page.keyboard.press('Enter');
  }

  /** Show Milepost's sidebar. */
  async sidebar(): Promise<void> {
    const icon = this.page.locator('.activitybar .action-label[aria-label^="Milepost"]');
    await icon.waitFor({ timeout: SHORT_MS });
    if ((await this.page.locator('.sidebar .composite.title', { hasText: 'Milepost' }).count()) === 0) {
      await icon.click();
    }
    await this.page.locator('.sidebar .pane-header', { hasText: 'Outline' }).first().waitFor({ timeout: SHORT_MS });
  }

  /** Click a row of the outline. */
  async clickRow(text: string): Promise<void> {
    // Not in its middle: that would scroll a long label out of its row.
    await this.row(text)
      .locator('.label-name')
      .first()
      .click({ position: { x: 4, y: 8 } });
  }

  async unfold(text: string): Promise<void> {
    const row = this.row(text);
    await row.waitFor();
    if ((await row.getAttribute('aria-expanded')) !== 'true') {
      await row.locator('.monaco-tl-twistie').click();
    }
  }

  /** Run something of a row's context menu. */
  async rowMenu(text: string, item: string): Promise<void> {
    await this.row(text).click({ button: 'right' });
    const entry = this.page
      .locator('.context-view .action-label, .monaco-menu .action-label', {
        hasText: item,
      })
      .first();
    await entry.waitFor({ timeout: 5_000 });
    // A menu that has only just opened takes no click: it may be the one that opened it.
    await this.until(async () => {
      if (await entry.isVisible()) {
        await entry.click({ timeout: 1_000 });
        await this.page.waitForTimeout(500);
      }
      return !(await entry.isVisible());
    }, `the menu gone after “${item}”`);
  }

  // Reading

  tab(name: string): Locator {
    return this.page.locator('.tabs-container .tab', { hasText: name }).first();
  }

  get outline(): Locator {
    return this.page
      .locator('.sidebar .split-view-view', {
        has: this.page.locator('.pane-header', { hasText: 'Outline' }),
      })
      .first();
  }

  get answers(): Locator {
    return this.page
      .locator('.sidebar .split-view-view', {
        has: this.page.locator('.pane-header', { hasText: 'Answers' }),
      })
      .first();
  }

  row(text: string | RegExp): Locator {
    return this.page.locator('.sidebar .pane-body .monaco-list-row', { hasText: text }).first();
  }

  /** Wait for a row of the outline that holds a text. */
  async seesRow(text: string | RegExp, timeout = SHORT_MS): Promise<void> {
    await this.row(text).waitFor({ timeout });
  }

  async rows(): Promise<Row[]> {
    // A list draws its rows in any order.
    return this.outline.locator('.monaco-list-row').evaluateAll((elements) =>
      [...elements]
        .sort((one, other) => Number(one.getAttribute('data-index')) - Number(other.getAttribute('data-index')))
        .map((element) => ({
          label: element.querySelector('.label-name')?.textContent ?? '',
          description: element.querySelector('.label-description')?.textContent ?? '',
          icon:
            element
              .querySelector('.custom-view-tree-node-item-icon')
              ?.className.replace(/.*codicon-([\w-]+).*/, '$1') ?? '',
          level: Number(element.getAttribute('aria-level') ?? '0'),
        })),
    );
  }

  /** The last row that fits, once there are as many as fit. */
  async lastRow(): Promise<Row> {
    await this.until(async () => (await this.rows()).length > 10, 'a full tree');
    await this.page.waitForTimeout(500);
    return (await this.rows()).at(-1) as Row;
  }

  /** The line above the tree. */
  async message(): Promise<string> {
    return (await this.outline.locator('.message').allInnerTexts()).join('\n').trim();
  }

  async seesMessage(text: string | RegExp, timeout = SHORT_MS): Promise<void> {
    await this.outline.locator('.message', { hasText: text }).waitFor({ timeout });
  }

  /** Give the editor the keys. Not by a click: the lines are as high as the file, and a click would scroll to their middle. */
  async focusEditor(): Promise<void> {
    await this.command('View: Focus First Editor Group');
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').first().waitFor();
  }

  /** The lines that the active editor shows, in order. */
  async lines(): Promise<string[]> {
    return this.page
      .locator('.editor-group-container.active .monaco-editor .view-lines')
      .first()
      .evaluate((element) =>
        [...element.querySelectorAll<HTMLElement>('.view-line')]
          .sort((one, other) => parseFloat(one.style.top) - parseFloat(other.style.top))
          .map((line) => (line.textContent ?? '').replaceAll('\u00a0', ' ')),
      );
  }

  async seesLine(text: string, timeout = SHORT_MS): Promise<void> {
    await this.until(
      async () => (await this.lines()).some((line) => line.includes(text)),
      `the line “${text}”`,
      timeout,
    );
  }

  /** The numbers beside the lines, as the editor draws them. */
  async lineNumbers(): Promise<string[]> {
    return this.page.locator('.editor-group-container.active .monaco-editor .line-numbers:visible').allInnerTexts();
  }

  /** The numbers that a range window draws before its lines. */
  async drawnNumbers(): Promise<number[]> {
    const spans = this.page.locator('.editor-group-container.active .monaco-editor .view-lines .view-line span');
    const contents = await spans.evaluateAll((elements) =>
      elements.map((element) => getComputedStyle(element, '::before').content),
    );
    const numbers = contents.map((content) => Number(/^"[\s\u2007]*(\d+)"$/.exec(content)?.[1] ?? '0'));
    return numbers.filter((number) => number > 0).sort((one, other) => one - other);
  }

  async seesNumber(number: number, timeout = SHORT_MS): Promise<void> {
    await this.until(async () => (await this.drawnNumbers()).includes(number), `the number ${number}`, timeout);
  }

  /** The line that the cursor is in, by the status bar. */
  async cursorLine(): Promise<number> {
    const text = await this.page.locator('#status\\.editor\\.selection').innerText();
    return Number(/Ln ([\d,]+)/.exec(text)?.[1]?.replaceAll(',', '') ?? '0');
  }

  async seesCursorAt(line: number, timeout = SHORT_MS): Promise<void> {
    await this.until(async () => (await this.cursorLine()) === line, `the cursor in line ${line}`, timeout);
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast', { hasText: text }).first();
  }

  async seesToast(text: string | RegExp, timeout = SHORT_MS): Promise<void> {
    await this.toast(text).waitFor({ timeout });
  }

  async pressToast(text: string | RegExp, button: string): Promise<void> {
    await this.toast(text).locator('.monaco-button', { hasText: button }).click();
  }

  lens(text: string | RegExp): Locator {
    return this.page.locator('.codelens-decoration a:visible', { hasText: text }).first();
  }

  /** What the status bar says of a range window. */
  async windowStatus(): Promise<string> {
    const item = this.page.locator('[id$="milepost.window"]');
    return (await item.count()) === 0 ? '' : item.innerText();
  }

  async seesWindow(text: string, timeout = SHORT_MS): Promise<void> {
    await this.until(async () => (await this.windowStatus()).includes(text), `a range window with “${text}”`, timeout);
  }

  async status(): Promise<string> {
    return this.page.locator('[id$="milepost.status"]').innerText();
  }

  get placeholder(): Locator {
    return this.page.locator('.monaco-editor-pane-placeholder');
  }

  /** The page of a summary or answer. */
  async summary(timeout = SHORT_MS): Promise<Frame> {
    let found: Frame | undefined;
    await this.until(
      async () => {
        for (const frame of this.page.frames()) {
          // A frame that is going away or not there yet may not answer at all.
          const heads = frame.locator('main > header h1').count();
          const late = new Promise<number>((resolve) => setTimeout(resolve, 1_000, 0));
          if ((await Promise.race([heads.catch(() => 0), late])) > 0) {
            found = frame;
          }
        }
        return found !== undefined;
      },
      'the page of a summary',
      timeout,
    );
    return found as Frame;
  }

  /** What the menu says of the server: how it runs, and by what it was started. */
  async seesServer(text: string | RegExp, timeout = SHORT_MS): Promise<void> {
    await this.until(
      async () => {
        await this.command('Milepost: Show Menu');
        const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Restart Server' }).first();
        await row.waitFor({ timeout: 5_000 });
        const says = await row.innerText();
        await this.page.keyboard.press('Escape');
        return new RegExp(text).test(says);
      },
      `a server “${String(text)}”`,
      timeout,
    );
  }

  async clipboard(): Promise<string> {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  async until(check: () => Promise<boolean>, what: string, timeout = SHORT_MS): Promise<void> {
    const end = Date.now() + timeout;
    let last: unknown;
    while (Date.now() < end) {
      try {
        if (await check()) {
          return;
        }
      } catch (error) {
        last = error;
      }
      await this.page.waitForTimeout(100);
    }
    assert.fail(`not seen within ${timeout / 1000} s: ${what}${last === undefined ? '' : ` (${String(last)})`}`);
  }
}
