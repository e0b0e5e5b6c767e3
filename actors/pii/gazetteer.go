package pii

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed names.txt
var namesFile string

// What the gazetteer says about a word.
const (
	surname   uint32 = 1 << iota // in kanji or kana
	given                        // in kanji or kana
	family                       // in Latin letters
	first                        // in Latin letters
	doubtful                     // also an everyday word or a place, as a surname
	doubtful2                    // the same, as a given name
)

// sections are the section marks of names.txt.
var sections = map[string]uint32{
	"surnames": surname, "given names": given, "surnames in kana": surname, "given names in kana": given,
	"given names in katakana": given, "surnames in Latin letters": family, "given names in Latin letters": first,
	"English given names": first, "English family names": family,
}

// gazetteer holds frequent names. Japanese ones are looked up at a place of a text, those
// in Latin letters as whole words in lower case. They are loaded at first use, because
// most programs mask nothing and need not wait for them.
var gazetteer = sync.OnceValue(func() names { return loadNames(namesFile) })

type names struct {
	japanese *lexicon
	latin    map[string]uint32
	letters  *letterBits // kanji of given names
}

// learn adds the kanji of a given name to the kanji that other given names may have.
func (g names) learn(name string) {
	for _, r := range name {
		if unicode.Is(unicode.Han, r) {
			g.letters.add(r)
		}
	}
}

func loadNames(file string) names {
	marks := map[string]uint32{}
	var section uint32
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "# "); ok {
			section = sections[head]
			continue
		}
		name, bad := strings.CutSuffix(line, "!")
		if name == "" || section == 0 {
			continue
		}
		mark := section
		switch {
		case bad && section&(surname|family) != 0:
			mark |= doubtful
		case bad:
			mark |= doubtful2
		}
		marks[name] |= mark
	}
	g := names{newLexicon(), map[string]uint32{}, letterSet(givenLetters)}
	for name, mark := range marks {
		if name[0] < 0x80 {
			g.latin[strings.ToLower(name)] |= mark
		} else {
			g.japanese.add(name, mark)
			if mark&given != 0 {
				g.learn(name)
			}
		}
	}
	return g
}

// givenLetters are kanji used in given names, besides those of the gazetteer.
const givenLetters = `一二三四五六七八九十千万子美恵郎太男夫雄介助樹香奈菜代江枝也哉斗翔輝司志之彦人仁治明弘博浩宏洋裕祐佑優悠勇雅正昌昭章彰晃光幸孝隆
	高貴崇敬武健建剛強毅豪誠真慎信伸進晋新直尚尊久寿弥保和一郁育英栄永衛恵慧圭啓敬慶景桂佳加嘉華花果歌海快開岳学楽寛完貫環基希喜輝紀記規貴起桔
	菊吉久京恭匡響尭桐琴欣錦空君薫玄源心湖虎護吾悟梧後倖公功巧広康煌航皓紅耕考行鋼克谷咲作桜冴冬沙紗砂彩才栄朔爽早蒼奏壮聡総宗創倉颯三士史嗣
	詩紫獅時侍慈滋汐七実柴珠朱秀修周柊重淑竣俊瞬駿純淳潤準順渚諸勝昇翔尚将省祥章笙晶匠祐照譲丈丞穣心森深親晴星聖清成政盛誓静斉青石赤節雪千泉
	仙宣全善曽素想早草蔵造則速多汰泰大代拓琢卓托達辰巽樽旦湛暖檀男智知千茅忠仲宙鷹朝暢長潮澄津槻辻椿紬鶴貞定禎悌哲徹鉄典展天田登都斗冬東桃
	灯統藤透闘同童瞳道篤徳敦凪那奈南楠虹日乃之能梅陽葉羽白博麦初春絆磐班帆範比妃飛緋尾微眉弥美百冨富扶芙舞風楓福淵文平碧歩保穂暮宝峰朋芳萌
	法豊邦鳳望北睦牧勝真麻摩眞舞槙牧政昌柾実未魅巳密満岬稔夢務陸結月望紅紋弥也夜野矢靖唯佑勇友有柚由祐裕遊雄融夕予与洋瑶耀葉遥陽養来頼雷
	洛嵐藍蘭里理李梨璃律立流留琉瑠隆竜龍亮良諒遼量凌涼稜綾梁力緑琳凛倫輪鈴麟瑠玲礼令怜麗列烈恋蓮練呂朗浪狼六録和倭輪亘亙渡渉航絵衣依維伊泉
	弦純賢茂繁滋顕堅謙憲研兼献絢奎蓉澪遙凪暁皐翠朔槇滉漣煕熙琥瑚璃祈稀穏笑粋綸羅舜芯茅莞菖蕗蛍蝶裟覚誉諄豹貢輔迪采銀錬閑雛韻馨駆麿黎俐偉傑冠冶凱匠厚吏城壱図夕姫孔季宏宗寅
	展巌左己巴幹彪彬悌惇惟愼憧拳捷摩敏昂昊昴晟晨暉曜杏杜梗梢椋椰楽橙欽歓毬汐洸洵渥湧湘瀬珀琳瑶璋皇眉睦祥禎竜笙紋紘紗紬絃綺緋繭翡翼聖聡肇胤脩臣至芙苑茜華菫萱葉蒔蓬薫蘭虹衛詩諒譲貫赳路身車軍迅逸遠邑重量錠
	鋭鋼鏡長陣隼雅零霞露青鞠頌顔颯馨駈鳳鴻麒麗麟
	逸稲因允羽宇卯瓜雲詠瑛映瑛叡悦延園媛円煙艶央旺凰桜音恩温穏愛逢茜葵絢杏安庵郷莉愁茉苺萩蕾薔凜翼侑亜阿歳照国建`

// letterBits is a set of letters of the basic plane.
type letterBits [1 << 16 / 64]uint64

func (l *letterBits) add(r rune) {
	if r <= 0xFFFF {
		l[r>>6] |= 1 << (r & 63)
	}
}

func (l *letterBits) has(r rune) bool { return r <= 0xFFFF && l[uint16(r)>>6]&(1<<(r&63)) != 0 }

func letterSet(list string) *letterBits {
	var l letterBits
	for _, r := range list {
		if r > ' ' {
			l.add(r)
		}
	}
	return &l
}

// surnameLetters are the kanji used in most surnames.
var surnameLetters = letterSet(`田中山川村井藤木本林森岡島崎野原沢谷佐伊加近遠安斎斉後高橋小大石鈴渡辺邉松竹梅杉桜柳栗榎柏桐桑楠榊椎菅菊萩葛荻草花
	上下前西東南北内外古新若福富吉金銀黒白赤青緑久保池沼湖浜海津波浪瀬滝泉水清河江沖岸堀坂阪塚丘岩砂土畑稲米麦平丸今宮寺社神堂門倉蔵屋家城館
	戸口部服羽鳥鶴鷹鷲亀熊猪馬牛鹿犬飼牧武矢弓長永成尾根樋片角星月日向天望早市町里郷園庭荒植秋夏春冬朝三二一五七八九十千万百四六有相会合和
	浅深増益仲間関境並島嶋濱澤廣邊國国比嘉知念照喜名手越細太広多見尻垣奥元児玉茂児工斉齋籐藪蓮真鍋笠笹篠須志賀住曽我徳豊能登飯塩酒綿織服
	磯礒梶樫橘楢桃栃梨柿椿楊辻迫峰峠嶺巻丹仁仙代出利別勝匂南吹味品団坪堤塙壁奈室宇守宗安富寒対尼山岐帯常幡平庄弘彦影後御忍恩恒悦惣慶成折
	押拝持振掛摩敷斉旗明昆星智曲最朴杉来柄柴栄桂棚森業楽樽櫛毛氏永沓泊津洞洲浦涌淵渋温湊湯源溝滑漆潮澄灘炭焼熱燕片狩珍球甲界留畠益盛砂
	磐祖禰福秦秋稗穂窪立笛筒筑箕篠米粕糸紺納細結絹綱緒網縄織美義群羽老聖肥胡脇舘舟般船良芝芦芳苅苗若茨荻荒菱萱葉蒲蓑蔦薄薬藁虎蛭袋袴西角
	詫諏諸谷豊貝貫赤足越路車軽辰迎近逢速進連遊道都酒里重釜針釘鈴鉄銭鋤錦鍛鎌鏡長門関阿附降院隅隈雑雨雪雲霜露青面鞍音頓須頭飛館首香馬駒 高鬼魚鮎鮫鯉鳥鳩鴨鵜鶴鷲鹿麻黒齊`)
