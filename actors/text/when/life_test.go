package when_test

import (
	"testing"

	"github.com/kehai-run/kehai/actors/text/when"
)

// TestLives has stages of a life, and words of them that name no time.
func TestLives(t *testing.T) {
	const none = when.Life(0)
	for _, c := range []struct {
		text string
		want when.Life
	}{
		{"高校のとき", when.HighSchool},
		{"高校の時、何部だった？", when.HighSchool},
		{"高校時代の友達", when.HighSchool},
		{"高校生の頃", when.HighSchool},
		{"高校生だったころ", when.HighSchool},
		{"高2のとき", when.HighSchool},
		{"高校2年のとき", when.HighSchool},
		{"高校を卒業してから", when.HighSchool},
		{"高校に通っていた頃", when.HighSchool},
		{"中学の時は", when.MiddleSchool},
		{"中学生のころ", when.MiddleSchool},
		{"中3のとき", when.MiddleSchool},
		{"小学校の頃", when.ElementarySchool},
		{"小学生のとき", when.ElementarySchool},
		{"小学5年生のとき", when.ElementarySchool},
		{"小学校に入ったとき", when.ElementarySchool},
		{"幼稚園の頃", when.Infancy},
		{"赤ちゃんの時", when.Infancy},
		{"大学時代", when.University},
		{"大学生のとき", when.University},
		{"大学院のころ", when.University},
		{"大学に入学したとき", when.University},
		{"大学を卒業した年", when.University},
		{"学生時代", when.Studies},
		{"学生の頃", when.Studies},
		{"子供の頃", when.Childhood},
		{"子どものとき", when.Childhood},
		{"小さい頃", when.Childhood},
		{"幼い頃", when.Childhood},
		{"10代の頃", when.Youth},
		{"２０代のとき", when.University | when.Work},
		{"社会人だった頃", when.Work},
		{"新人の頃", when.Work},
		{"8歳のとき", when.ElementarySchool},
		{"１６歳の頃", when.HighSchool},
		{"25歳の時", when.Work},
		{"二十歳のとき", when.University | when.Work},
		{"はたちの頃", when.University | when.Work},
		{"十五歳の時", when.HighSchool},
		{"三十五歳の時", when.Work},
		{"七才の頃", when.ElementarySchool},
		{"when I was twelve", when.MiddleSchool},
		{"at the age of sixteen", when.HighSchool},
		{"when I was ten minutes late", none},
		{"when I was at school", when.School},
		{"when I was in high school", when.HighSchool},
		{"back when he was still in college", when.University},
		{"when my sister was at university", when.University},
		{"when she started high school", when.HighSchool},
		{"when I was in kindergarten", when.Infancy},
		{"when they were in junior high", when.MiddleSchool},
		{"when I was in middle school", when.MiddleSchool},
		{"when we were in elementary school", when.ElementarySchool},
		{"in high school", when.HighSchool},
		{"during college", when.University},
		{"in my college years", when.University},
		{"in my school days", when.School},
		{"my high school days", when.HighSchool},
		{"after graduating from university", when.University},
		{"as a child", when.Childhood},
		{"as a teenager", when.Youth},
		{"as a student", when.Studies},
		{"when I was a kid", when.Childhood},
		{"when you were little", when.Childhood},
		{"When I was a little girl", when.Childhood},
		{"in my childhood", when.Childhood},
		{"in my teens", when.Youth},
		{"in her early twenties", when.University | when.Work},
		{"in my thirties", when.Work},
		{"when I was 16", when.HighSchool},
		{"when he was 8 years old", when.ElementarySchool},
		{"when she turned 40, everything changed", when.Work},
		{"at the age of 12", when.MiddleSchool},
		{"高校のときと大学のとき", when.HighSchool | when.University},
		{"高3の夏", when.HighSchool},
		{"高3の夏休みに", when.HighSchool},
		{"中2のとき", when.MiddleSchool},
		{"大学2年の冬", when.University},
		{"in third grade", when.ElementarySchool},
		{"in the 8th grade", when.MiddleSchool},
		{"when I was a tenth grader", when.HighSchool},
		{"what did you play growing up?", when.Childhood | when.Youth},
		{"Growing up, I had a dog", when.Childhood | when.Youth},
		{"the kids are growing up fast", none},
		{"子供の夏服", none},
		{"steel of the first grade", none},
		{"高校が休みになった", none},
		{"高校の先生", none},
		{"大学の時計", none},
		{"学校の時間割", none},
		{"子供が生まれた", none},
		{"中学校はどこ？", none},
		{"the high school is closed", none},
		{"I teach at a university", none},
		{"my child is asleep", none},
		{"when I was 5 minutes late", none},
		{"when it was 30%", none},
		{"when we were at home", none},
		{"as a teacher", none},
		{"20代目の社長", none},
		{"", none},
	} {
		if got := when.Lives(c.text); got != c.want {
			t.Errorf("Lives(%q) = %06b, want %06b", c.text, got, c.want)
		}
	}
	if !when.Studies.Meets(when.HighSchool) || when.Childhood.Meets(when.University) {
		t.Error("days as a student include high school, and childhood no university")
	}
}

func FuzzLives(f *testing.F) {
	for _, s := range []string{"高校のとき", "when I was at school", "８歳の頃", "at the age of 99", "\xff大学時代"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		alone, twice := when.Lives(text), when.Lives(text+"\n"+text)
		if alone&^twice != 0 {
			t.Fatalf("Lives(%q) = %06b, and of the same twice %06b", text, alone, twice)
		}
	})
}
